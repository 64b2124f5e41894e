import { type RefObject, useEffect } from 'react'

/** Puts the focus on a part of a page that is no control, and leaves the page where it is. */
export function focusOn(part: HTMLElement | null | undefined): void {
  if (!part) return
  if (!part.hasAttribute('tabindex')) part.tabIndex = -1
  part.focus({ preventScroll: true })
}

/** Whether nothing has the focus, because what had it is gone. */
const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body

/** Where what has the focus goes away with what is shown, the section around it gets it, or the whole. */
export function useKeptFocus(whole: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const top = whole.current
    if (!top) return
    let last: { focused: Element; around: HTMLElement[] } | undefined
    const remember = ({ target }: FocusEvent) => {
      const isInside = target instanceof Element && target !== top && top.contains(target)
      last = isInside ? { focused: target, around: [...sectionsAround(target, top), top] } : undefined
    }
    const restore = () => {
      if (!last || last.focused.isConnected || !isFocusLost()) return
      focusOn(last.around.find((one) => one.isConnected))
    }
    const observer = new MutationObserver(restore)
    observer.observe(top, { childList: true, subtree: true })
    document.addEventListener('focusin', remember)
    return () => {
      observer.disconnect()
      document.removeEventListener('focusin', remember)
    }
  }, [whole])
}

/** From the innermost out. */
function sectionsAround(element: Element, top: HTMLElement): HTMLElement[] {
  const found: HTMLElement[] = []
  for (let one = element.parentElement; one && one !== top; one = one.parentElement)
    if (one.tagName === 'SECTION') found.push(one)
  return found
}
