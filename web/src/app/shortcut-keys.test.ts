import { beforeEach, expect, test } from 'vitest'
import { areShortcutsEnabled, isTyping, setShortcutsEnabled } from './shortcut-keys.ts'

beforeEach(() => localStorage.clear())

test('single keys are on until turned off, and can be turned on again', () => {
  expect(areShortcutsEnabled()).toBe(true)
  setShortcutsEnabled(false)
  expect(areShortcutsEnabled()).toBe(false)
  setShortcutsEnabled(true)
  expect(areShortcutsEnabled()).toBe(true)
})

test.for([
  ['an input', '<input>', true],
  ['a checkbox, which Space toggles', '<input type="checkbox">', true],
  ['a text area', '<textarea></textarea>', true],
  ['a select', '<select></select>', true],
  ['editable content', '<div contenteditable="true"></div>', true],
  ['a part of editable content', '<div contenteditable="true"><b id="it"></b></div>', true],
  ['a button of a dialog', '<dialog open><button id="it"></button></dialog>', true],
  ['an item of a menu', '<div role="menu"><button id="it" role="menuitem"></button></div>', true],
  ['a button', '<button></button>', false],
  ['a link', '<a href="/"></a>', false],
  ['the page', '<main tabindex="-1"></main>', false],
  ['a label beside an input', '<label id="it"></label><input>', false],
] as const)('a key on %s, such as %s, counts as typing: %s', ([, html, expected]) => {
  document.body.innerHTML = html
  expect(isTyping(document.getElementById('it') ?? document.body.firstElementChild)).toBe(expected)
})

test('a key without a target is not typing', () => {
  expect(isTyping(null)).toBe(false)
  expect(isTyping(document)).toBe(false)
  expect(isTyping(document.body)).toBe(false)
})
