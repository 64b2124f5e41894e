/** Sends the whole page elsewhere; the page goes on for the moment that this takes. */
export function redirect(url: string, isReplacing = false): void {
  if (isReplacing) location.replace(url)
  else location.assign(url)
}
