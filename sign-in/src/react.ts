'use client'
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { SigninError } from './errors.ts'
import type { RedirectOptions } from './sign-in.ts'
import type { SigninClient } from './sign-in-client.ts'
import type { SignoutRedirectOptions } from './sign-out.ts'
import type { User } from './user.ts'

/** The result of `useSignIn`. */
export interface SignIn {
  client: SigninClient
  /** The signed-in user; null while loading, too. */
  user: User | null
  /** True until the user is loaded, and while the browser navigates to the provider. */
  isLoading: boolean
  /** The last failure: of a response of the provider, a redirect or a sign-out. */
  error: SigninError | undefined
  /** Redirects to the provider, and returns to the current page. A failure is reported as `error` only. */
  signIn: (options?: RedirectOptions) => Promise<void>
  /** Signs out here and at the provider. A failure is reported as `error` only. */
  signOut: (options?: SignoutRedirectOptions) => Promise<void>
}

interface State extends Pick<SignIn, 'user' | 'isLoading' | 'error'> {
  /** False after a sign-out: the provider's session may still exist, and a redirect would sign in again. */
  mayRedirect: boolean
}

const Context = createContext<(SignIn & State) | undefined>(undefined)

/** Props of `SignInProvider`. */
export interface SignInProviderProps {
  /** Create it once, outside of components. */
  client: SigninClient
  /**
   * Called after a sign-in by redirect; `user.state` is that of `signIn`. By default, shows the page that called it.
   */
  onSignedIn?: (user: User) => void
  children?: ReactNode
}

/** Handles responses at the client's redirect URLs, and provides the user to `useSignIn` and `RequireSignIn`. */
export function SignInProvider({ client, onSignedIn = showReturnPage, children }: SignInProviderProps): ReactElement {
  const [state, setState] = useState<State>({ user: null, isLoading: true, error: undefined, mayRedirect: true })
  const latestOnSignedIn = useRef(onSignedIn)
  latestOnSignedIn.current = onSignedIn

  useEffect(() => {
    let isMounted = true
    let isStarting = true
    const update = (change: Partial<State>) => {
      if (isMounted) setState((previous) => ({ ...previous, ...change }))
    }
    const start = async () => {
      let error: SigninError | undefined
      const response = isResponsePage(client) ? completeSignIn(client) : null
      const signedIn = await Promise.resolve(response).catch((failure) => {
        error = failure
        return null
      })
      // A popup or a hidden frame has forwarded its response: its page must do nothing else.
      if (signedIn === undefined || !isMounted) return
      if (signedIn) latestOnSignedIn.current(signedIn)
      const user = signedIn ?? (await loadUser(client))
      isStarting = false
      update({ user, error, isLoading: false })
    }
    start().catch((error) => update({ error, isLoading: false }))
    const stops = [
      // Not before the page of the response has been replaced.
      client.on('userLoaded', (user) => isStarting || update({ user, error: undefined, mayRedirect: true })),
      client.on('userUnloaded', () => update({ user: null, mayRedirect: false })),
      client.on('accessTokenExpired', () => update({})),
    ]
    // The page was left for the provider, and the user came back without a response.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && update({ isLoading: false, mayRedirect: false })
    window.addEventListener('pageshow', onShow)
    return () => {
      isMounted = false
      for (const stop of stops) stop()
      window.removeEventListener('pageshow', onShow)
    }
  }, [client])

  const value = useMemo(() => {
    const leave = async (call: () => Promise<void>) => {
      setState((previous) => ({ ...previous, isLoading: true, error: undefined }))
      await call().catch((error) => setState((previous) => ({ ...previous, error, isLoading: false })))
    }
    // After a failure on the page of the response, the page that was to be shown then.
    const returnState = () => (isResponsePage(client) ? state.error?.state : { returnTo: location.href })
    return {
      ...state,
      client,
      signIn: (options?: RedirectOptions) => leave(() => client.signinRedirect({ state: returnState(), ...options })),
      signOut: (options?: SignoutRedirectOptions) => leave(() => client.signoutRedirect(options)),
    }
  }, [client, state])
  return createElement(Context.Provider, { value }, children)
}

/** Returns the user and the calls to sign in and out, inside a `SignInProvider`. */
export function useSignIn(): SignIn {
  return useSignInContext()
}

function useSignInContext(): SignIn & State {
  const value = useContext(Context)
  if (!value) throw new Error('useSignIn and RequireSignIn need a SignInProvider around them')
  return value
}

/** Props of `RequireSignIn`. */
export interface RequireSignInProps {
  children?: ReactNode
  /** Shown until the user is loaded, and while the browser navigates to the provider. */
  fallback?: ReactNode
  /** Shown after a sign-out or a failure; by default a button “Sign in”. */
  signedOut?: ReactNode
  /** Options of the redirect. */
  options?: RedirectOptions
}

/** Renders its children for a signed-in user. A page that is opened without a user redirects to the provider. */
export function RequireSignIn({ children, fallback, signedOut, options }: RequireSignInProps): ReactNode {
  const { user, isLoading, error, mayRedirect, signIn } = useSignInContext()
  const isRedirecting = !user && !isLoading && !error && mayRedirect
  const redirect = useRef(() => {})
  redirect.current = () => void signIn(options)
  useEffect(() => {
    if (isRedirecting) redirect.current()
  }, [isRedirecting])
  if (user) return children
  if (isLoading || isRedirecting) return fallback
  return signedOut ?? createElement('button', { type: 'button', onClick: () => signIn(options) }, 'Sign in')
}

/** Reports whether this page is a redirect URL with a response. */
function isResponsePage({ settings }: SigninClient): boolean {
  const { redirect_uri, popup_redirect_uri, silent_redirect_uri, popup_post_logout_redirect_uri } = settings
  const urls = [redirect_uri, popup_redirect_uri, silent_redirect_uri, popup_post_logout_redirect_uri]
  const { origin, pathname, search, hash } = location
  const isHere = (url: string | undefined) => url && new URL(url).origin + new URL(url).pathname === origin + pathname
  return /[?&#]state=/.test(search + hash) && urls.some(isHere)
}

/** Resolves with the user, null if the response was not of a new sign-in, or undefined if it was forwarded. */
async function completeSignIn(client: SigninClient): Promise<User | null | undefined> {
  try {
    return await client.signinCallback()
  } catch (error) {
    const { code } = error as SigninError
    // A reload of the page repeats its response.
    if (code === 'state_already_used') return null
    if (code !== 'invalid_request_type') throw error
    return (await client.signoutCallback()) && null
  }
}

/** Resolves with the stored user, renewed if the access token has expired since then. */
async function loadUser(client: SigninClient): Promise<User | null> {
  const user = await client.getUser()
  if (!user?.expired) return user
  return user.refresh_token ? client.signinSilent().catch(() => null) : null
}

/** Shows the page that `signIn` was called on, including in routers, which listen to the browser's history. */
function showReturnPage({ state }: User): void {
  const { returnTo } = (state ?? {}) as { returnTo?: string }
  if (!returnTo) return
  history.replaceState(null, '', returnTo)
  dispatchEvent(new PopStateEvent('popstate'))
}
