import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { RequireSignIn, SignInProvider, useSignIn } from './react.ts'
import { createSigninClient } from './sign-in-client.ts'

/* Rendering on a server; e2e/sign-in/react.spec.ts is about the browser. */

const client = createSigninClient({ authority: 'https://op.example', client_id: 'app' })

test('a server renders the fallback', () => {
  expect(typeof window).toBe('undefined')
  const guard = createElement(RequireSignIn, { fallback: 'One moment' }, 'A secret')
  expect(renderToString(createElement(SignInProvider, { client }, guard))).toBe('One moment')
})

test('useSignIn on a server is loading, without a user', () => {
  const Status = () => {
    const { user, isLoading } = useSignIn()
    return `${user} ${isLoading}`
  }
  expect(renderToString(createElement(SignInProvider, { client }, createElement(Status)))).toBe('null true')
})

test('useSignIn without a provider names what is missing', () => {
  const Status = () => `${useSignIn().user}`
  expect(() => renderToString(createElement(Status))).toThrow('SignInProvider')
})
