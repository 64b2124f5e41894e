import { remember, remembered } from './remembered.ts'

const key = 'passport.shortcuts'

/** Single keys get in the way of speech input, so they can be turned off (WCAG 2.1.4). */
export const areShortcutsOn = (): boolean => remembered(key) !== 'off'

export function setShortcutsOn(isOn: boolean): void {
  remember(key, isOn ? null : 'off')
}

/** Whether a key belongs to something that is written into or chosen from. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.closest('input, textarea, select, dialog, [role=menu]') !== null
}
