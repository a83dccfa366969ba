// One tip for the whole page: what stands in `data-tip` of an element shows when the pointer or the focus is on it.

export function startTips(): void {
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.append(tip);
  let owner: Element | null = null;

  const hide = () => {
    tip.hidden = true;
    owner?.removeAttribute("aria-describedby");
    owner = null;
  };
  const show = (target: Element, x: number, y: number) => {
    const text = target.getAttribute("data-tip");
    if (!text) return hide();
    if (owner !== target) owner?.removeAttribute("aria-describedby");
    owner = target;
    tip.textContent = text;
    tip.hidden = false;
    target.setAttribute("aria-describedby", "tip");
    const box = tip.getBoundingClientRect();
    const left = Math.max(8, Math.min(x + 12, window.innerWidth - box.width - 8));
    const below = y + 16;
    const top = below + box.height > window.innerHeight - 8 ? Math.max(8, y - box.height - 12) : below;
    tip.style.left = `${left}px`;
    tip.style.top = `${top}px`;
  };
  const showBelow = (target: Element) => {
    const box = target.getBoundingClientRect();
    show(target, box.left + box.width / 2, box.bottom - 8);
  };
  const tipped = (event: Event) => (event.target instanceof Element ? event.target.closest("[data-tip]") : null);
  document.addEventListener("pointermove", (event) => {
    const target = tipped(event);
    if (target) show(target, event.clientX, event.clientY);
    else if (owner !== document.activeElement) hide();
  });
  document.addEventListener("focusin", (event) => {
    const target = tipped(event);
    if (!target) return hide();
    showBelow(target);
  });
  document.addEventListener("focusout", hide);
  // What has the focus keeps its tip: moving the focus scrolls.
  document.addEventListener("scroll", () => {
    if (owner !== null && owner === document.activeElement) showBelow(owner);
    else hide();
  }, { passive: true, capture: true });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
}
