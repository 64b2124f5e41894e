import { createSigninClient } from '@passport/sign-in'
import { RequireSignIn, SignInProvider, useSignIn } from '@passport/sign-in/react'
import { createElement, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

/* The application under test in react.spec.ts. */

const client = createSigninClient(JSON.parse(localStorage.getItem('settings') ?? ''))
Object.assign(window, { client })

function Status() {
  const { user, error, isLoading, signIn, signOut } = useSignIn()
  return createElement(
    'header',
    null,
    createElement('output', null, isLoading ? 'loading' : (error?.code ?? user?.profile.sub ?? 'nobody')),
    createElement('button', { type: 'button', onClick: () => signIn() }, 'Again'),
    createElement('button', { type: 'button', onClick: () => signOut() }, 'Sign out'),
  )
}

function Secret() {
  const { user } = useSignIn()
  return createElement('main', null, `The secret of ${user?.profile.name} at ${location.pathname}${location.search}`)
}

const guarded = createElement(
  RequireSignIn,
  { fallback: createElement('p', null, 'One moment') },
  createElement(Secret),
)
const root = document.querySelector('#root')
if (root) {
  const app = createElement(SignInProvider, { client }, createElement(Status), guarded)
  createRoot(root).render(createElement(StrictMode, null, app))
}
