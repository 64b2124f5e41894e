let isAllowed = false

/** Allows the page to leave for a sign-in without a prompt, because its drafts are kept. */
export function allowLeaving(): void {
  isAllowed = true
  // A page restored by Back from the browser's cache asks again.
  addEventListener('pageshow', () => (isAllowed = false), { once: true })
}

export const isLeavingAllowed = (): boolean => isAllowed
