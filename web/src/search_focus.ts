// The key `/` may be pressed where there is no list yet: the list that opens then takes the focus to its search.

let wanted = false;

export function wantSearch(): void {
  wanted = true;
}

/** Moves the focus to the search of the list that was just drawn, when that was wished. */
export function focusWantedSearch(): void {
  if (!wanted) return;
  wanted = false;
  document.getElementById("search")?.focus();
}
