import { type RefObject, useEffect } from 'react'

/** Focuses an element, even if it is not a control, without scrolling. */
export function focusElement(element: HTMLElement | null | undefined): void {
  if (!element) return
  if (!element.hasAttribute('tabindex')) element.tabIndex = -1
  element.focus({ preventScroll: true })
}

/** Focuses the nearest remaining section, or the root, when the focused element is removed from the root. */
export function useFocusRestore(root: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const rootElement = root.current
    if (!rootElement) return
    /** The element inside that was focused last, and its sections from the innermost out. */
    let last: { focused: Element; sections: HTMLElement[] } | undefined
    const remember = ({ target }: FocusEvent) => {
      const isInside = target instanceof Element && target !== rootElement && rootElement.contains(target)
      const sections = [...rootElement.querySelectorAll('section')].filter((section) =>
        section.contains(target as Node),
      )
      last = isInside ? { focused: target, sections: [...sections.reverse(), rootElement] } : undefined
    }
    const restore = () => {
      const isFocusLost = document.activeElement === null || document.activeElement === document.body
      if (last && !last.focused.isConnected && isFocusLost)
        focusElement(last.sections.find((section) => section.isConnected))
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
