import type { DeveloperTokensClient } from '@passport/contract/developer-tokens'
import { createSigninClient, type SigninClient } from '@passport/sign-in'
import { useCallback, useEffect, useState } from 'react'
import { currentUserQuery } from '../app/current-user.ts'
import { queryClient } from '../app/query-client.ts'
import { completeSignin, isSigninResponse, type SigninResult } from './complete-signin.ts'

/** The state of the sign-in, once the stored user is loaded. */
interface Signin extends SigninResult {
  client: SigninClient
  /** Whether the redirect to the provider has begun. */
  isLeaving: boolean
}

/** Completes a sign-in whose response is in the URL of the page, and starts new ones. */
export function useSignin(settings: DeveloperTokensClient) {
  const [signin, setSignin] = useState<Signin>()
  const update = useCallback(
    (changes: Partial<Signin>) => setSignin((previous) => previous && { ...previous, ...changes }),
    [],
  )

  useEffect(() => {
    const client = createSigninClient({ ...settings, monitorSession: false })
    let isOpen = true
    const removeListener = client.on('userUnloaded', () => update({ user: null }))
    // A page restored from the history is no longer leaving.
    const handlePageShow = () => update({ isLeaving: false })
    addEventListener('pageshow', handlePageShow)
    const sub = queryClient.getQueryData(currentUserQuery.queryKey)?.claims.sub
    const complete = () =>
      completeSignin(client, sub).then((result) => isOpen && setSignin({ client, isLeaving: false, ...result }))
    // A response can also arrive while the page is open: its redirect differs from this URL only in the fragment.
    const handleHashChange = () => void (isSigninResponse(location.hash) && complete())
    addEventListener('hashchange', handleHashChange)
    void complete()
    return () => {
      isOpen = false
      removeListener()
      removeEventListener('hashchange', handleHashChange)
      removeEventListener('pageshow', handlePageShow)
      client.close()
    }
  }, [settings, update])

  return {
    signin,
    /** Redirects to the provider, with a forced sign-in. */
    generate: async () => {
      update({ isLeaving: true, failure: undefined })
      try {
        await signin?.client.signinRedirect({ prompt: 'login', response_mode: 'fragment' })
      } catch (failure) {
        update({ isLeaving: false, failure })
      }
    },
    clear: () => signin?.client.removeUser(),
  }
}
