import { loadChoice, storeChoice } from './stored-choice.ts'

const key = 'passport.shortcuts'

/** Reports whether single-key shortcuts are on. They can be turned off, because they interfere with speech input (WCAG 2.1.4). */
export const areShortcutsEnabled = (): boolean => loadChoice(key) !== 'off'

export function setShortcutsEnabled(isEnabled: boolean): void {
  storeChoice(key, isEnabled ? null : 'off')
}

/** Reports whether a key event belongs to an editable element, a dialog or a menu. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.closest('input, textarea, select, dialog, [role=menu]') !== null
}
