// Says formulas in MathML for formulas.py: a line of JSON in, a line of JSON out.
import { createInterface } from "node:readline";
import temml from "temml";

for await (const line of createInterface({ input: process.stdin })) {
  const [tex, displayMode, inParts] = JSON.parse(line);
  let said;
  try {
    const wrap = inParts ? "tex" : "none";  // after a relation or a sign
    said = { mathml: temml.renderToString(tex, { displayMode, throwOnError: true, wrap }) };
  } catch (error) {
    said = { error: error.message };
  }
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
