import { expect, test } from 'vitest'
import { curlSnippet, envSnippet } from './snippets.ts'

test('the command has the token in it when it is copied, and not when it is shown', () => {
  const { shown, copied } = curlSnippet('https://id.example/passport/apphelper/user', 'abc.def')
  expect(copied).toBe("curl 'https://id.example/passport/apphelper/user' \\\n  -H 'Authorization: Bearer abc.def'")
  expect(shown).toBe(copied.replace('abc.def', '••••••••'))
})

test('nothing in the command ends its quotes', () => {
  expect(curlSnippet("https://a.example/'$(id)", 'x').copied).toContain("'https://a.example/'\\''$(id)'")
})

test('the settings have address and token, a line each', () => {
  const { shown, copied } = envSnippet('https://id.example', 'abc.def')
  expect(copied).toBe('PASSPORT_URL=https://id.example\nPASSPORT_TOKEN=abc.def')
  expect(shown).not.toContain('abc')
})
