"""The pictures of the pages: nothing is lost of them, nor cut off."""

import base64
import io

import numpy as np
import pictures
import pytest
from front_page import THUMBNAIL, shrink
from PIL import Image


def png(width, height):
    noise = np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
    noise[:, : width // 20] = 255, 0, 0
    made = io.BytesIO()
    Image.fromarray(noise).save(made, "PNG")
    return made.getvalue()


def test_a_stored_picture_keeps_every_pixel(tmp_path):
    content = png(60, 40)
    name = pictures.store(tmp_path / "new", content)
    assert pictures.store(tmp_path / "new", content) == name
    assert pictures.store(tmp_path / "new", png(61, 40)) != name
    stored, drawn = (Image.open(f) for f in (tmp_path / "new" / name, io.BytesIO(content)))
    assert stored.format == "WEBP"
    np.testing.assert_array_equal(stored.convert("RGB"), drawn)


def test_a_picture_has_one_size_whichever_docutils_says_it():
    style = '<img alt="A." src="a.png" style="width: 47px; height: 28px;" />'
    attributes = '<img alt="A." height="28" src="a.png" width="47" />'
    for image in style, attributes:
        assert pictures.in_style([image]) == style


@pytest.mark.parametrize("size", [(1000, 100), (100, 1000)])
def test_a_thumbnail_shows_all_of_its_picture_on_white(size):
    card = Image.open(io.BytesIO(shrink(base64.b64encode(png(*size))))).convert("RGB")
    assert card.size == THUMBNAIL
    pixels = np.array(card)
    assert (pixels[[0, -1]][:, [0, -1]] == 255).all(), "white corners"
    red = (pixels[..., 0] > 200) & (pixels[..., 1:] < 80).all(axis=2)
    assert red.any(), "the left end is not there"
