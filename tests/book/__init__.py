"""What looks at the book: its notebooks, its pages, what readers take home."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
