// docutils gives the entries of its citation list a role that a list may not contain.
document.addEventListener("DOMContentLoaded", () => {
  for (const entry of document.querySelectorAll('[role="list"] > [role="doc-biblioentry"]')) {
    entry.setAttribute("role", "listitem");
  }
});
