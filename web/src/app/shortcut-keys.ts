import { loadChoice, storeChoice } from './stored-choice.ts'

const key = 'passport.shortcuts'

/** Single keys interfere with speech input, so they can be turned off (WCAG 2.1.4). */
export const areShortcutsEnabled = (): boolean => loadChoice(key) !== 'off'

export function setShortcutsEnabled(isEnabled: boolean): void {
  storeChoice(key, isEnabled ? null : 'off')
}

/** Whether a key event belongs to an editable element or a choice. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.closest('input, textarea, select, dialog, [role=menu]') !== null
}
