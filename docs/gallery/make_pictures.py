"""Takes a picture of each view of the gallery, light and dark, into `docs/images`: python docs/gallery/make_pictures.py

It needs Chromium (`apt install chromium`) and the dev extra.
"""

import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

DOCS = Path(__file__).parents[1]
sys.path.insert(0, str(DOCS / "hooks"))
from gallery import views  # noqa: E402

LARGEST = 140_000  # bytes; what is larger is kept in 256 colours
SIZE = {  # of the window
    "head_view": (860, 800),
    "model_view": (1180, 760),
    "neuron_view": (980, 740),
    "alignment_view": (760, 560),
    "caption_view": (640, 600),
    "token_view": (900, 440),
}


def act(page, name):
    """Does what a reader would, so that there is something to see."""
    if name == "head_view":
        page.select_option("[name=layer]", label="layer 4")
        page.check("[name=join]")
        page.click("[name=none]")
        page.check("[name=head][value='1']")
        page.get_by_role("option", name="it", exact=True).first.hover()
    elif name == "neuron_view":
        page.locator(".from li", has_text="tired").hover()
        page.locator(".to li", has_text="##olo").hover()
    elif name == "alignment_view":
        page.focus(".map canvas")
        for _ in range(3):
            page.keyboard.press("ArrowDown")
            page.keyboard.press("ArrowRight")
    elif name == "caption_view":
        page.locator(".word").nth(2).hover()
    elif name == "token_view":
        page.check("[name=join]")
        page.check("[name=numbers]")
        page.locator(".word", has_text="violin").first.hover()


def main():
    """Opens each view twice and takes its picture."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        for name, view in views().items():
            for theme in ("light", "dark"):
                width, height = SIZE[name]
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme, offline=True)
                page = context.new_page()
                page.set_content(view.html)
                page.wait_for_selector("html[data-ready]")
                act(page, name)
                page.wait_for_timeout(200)
                path = DOCS / "images" / f"{name}_{theme}.png"
                page.screenshot(path=path)
                context.close()
                if path.stat().st_size > LARGEST:
                    Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
                print(f"{path}: {path.stat().st_size / 1e3:.0f} kB")
        browser.close()


if __name__ == "__main__":
    main()
