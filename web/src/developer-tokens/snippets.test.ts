import { expect, test } from 'vitest'
import { createCurlSnippet, createEnvSnippet } from './snippets.ts'

test('the cURL command contains the token only in its text to copy', () => {
  const { masked, text } = createCurlSnippet('https://id.example/passport/apphelper/user', 'abc.def')
  expect(text).toBe("curl 'https://id.example/passport/apphelper/user' \\\n  -H 'Authorization: Bearer abc.def'")
  expect(masked).toBe(text.replace('abc.def', '••••••••'))
})

test('the cURL command escapes quotes in the URL', () => {
  expect(createCurlSnippet("https://a.example/'$(id)", 'x').text).toContain("'https://a.example/'\\''$(id)'")
})

test('the .env file has a line for the URL and one for the token, which is masked for display', () => {
  const { masked, text } = createEnvSnippet('https://id.example', 'abc.def')
  expect(text).toBe('PASSPORT_URL=https://id.example\nPASSPORT_TOKEN=abc.def')
  expect(masked).not.toContain('abc')
})
