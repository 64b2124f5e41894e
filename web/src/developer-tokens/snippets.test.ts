import { expect, test } from 'vitest'
import { createCurlSnippet, createEnvSnippet } from './snippets.ts'

test('the command contains the token when copied, and not when shown', () => {
  const { masked, text } = createCurlSnippet('https://id.example/passport/apphelper/user', 'abc.def')
  expect(text).toBe("curl 'https://id.example/passport/apphelper/user' \\\n  -H 'Authorization: Bearer abc.def'")
  expect(masked).toBe(text.replace('abc.def', '••••••••'))
})

test('the command escapes quotes', () => {
  expect(createCurlSnippet("https://a.example/'$(id)", 'x').text).toContain("'https://a.example/'\\''$(id)'")
})

test('the settings contain the URL and the token, one per line', () => {
  const { masked, text } = createEnvSnippet('https://id.example', 'abc.def')
  expect(text).toBe('PASSPORT_URL=https://id.example\nPASSPORT_TOKEN=abc.def')
  expect(masked).not.toContain('abc')
})
