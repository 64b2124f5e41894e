import { type RefObject, useEffect } from 'react'

/** Focuses a part of the page that is not a control, without scrolling. */
export function focusOn(element: HTMLElement | null | undefined): void {
  if (!element) return
  if (!element.hasAttribute('tabindex')) element.tabIndex = -1
  element.focus({ preventScroll: true })
}

/** Whether the focused element was removed. */
const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body

/** If the focused element is removed, focuses its nearest remaining section, or `whole`. */
export function useFocusRestore(root: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const rootElement = root.current
    if (!rootElement) return
    let last: { focused: Element; ancestors: HTMLElement[] } | undefined
    const remember = ({ target }: FocusEvent) => {
      const isInside = target instanceof Element && target !== rootElement && rootElement.contains(target)
      last = isInside ? { focused: target, ancestors: [...findSections(target, rootElement), rootElement] } : undefined
    }
    const restore = () => {
      if (!last || last.focused.isConnected || !isFocusLost()) return
      focusOn(last.ancestors.find((candidate) => candidate.isConnected))
    }
    const observer = new MutationObserver(restore)
    observer.observe(rootElement, { childList: true, subtree: true })
    document.addEventListener('focusin', remember)
    return () => {
      observer.disconnect()
      document.removeEventListener('focusin', remember)
    }
  }, [root])
}

/** From the innermost out. */
function findSections(element: Element, rootElement: HTMLElement): HTMLElement[] {
  const sections: HTMLElement[] = []
  for (let ancestor = element.parentElement; ancestor && ancestor !== rootElement; ancestor = ancestor.parentElement)
    if (ancestor.tagName === 'SECTION') sections.push(ancestor)
  return sections
}
