import type { DeveloperTokensClient } from '@passport/contract/developer-tokens'
import { createSigninClient, type SigninClient } from '@passport/sign-in'
import { useCallback, useEffect, useState } from 'react'
import { currentUserQuery } from '../app/current-user.ts'
import { queryClient } from '../app/query-client.ts'
import { type Arrival, arrive } from './arrival.ts'

/** The sign-in of this page, from when it is known who has a token. */
interface Signin extends Arrival {
  client: SigninClient
  /** The page is about to leave for the provider. */
  isLeaving: boolean
}

/** Completes a sign-in that the page was opened with, and begins new ones. */
export function useSignin(settings: DeveloperTokensClient) {
  const [signin, setSignin] = useState<Signin>()
  const change = useCallback((by: Partial<Signin>) => setSignin((known) => known && { ...known, ...by }), [])

  useEffect(() => {
    const client = createSigninClient({ ...settings, monitorSession: false })
    let isOpen = true
    const removeListener = client.on('userUnloaded', () => change({ user: null }))
    // A page that one comes back to is as it was left.
    const comeBack = () => change({ isLeaving: false })
    addEventListener('pageshow', comeBack)
    const sub = queryClient.getQueryData(currentUserQuery.queryKey)?.claims.sub
    void arrive(client, sub).then((arrival) => isOpen && setSignin({ client, isLeaving: false, ...arrival }))
    return () => {
      isOpen = false
      removeListener()
      removeEventListener('pageshow', comeBack)
      client.close()
    }
  }, [settings, change])

  return {
    signin,
    /** Leaves for the provider, where one has to sign in even if one is signed in already. */
    generate: async () => {
      change({ isLeaving: true, failure: undefined })
      try {
        await signin?.client.signinRedirect({ prompt: 'login', response_mode: 'fragment' })
      } catch (failure) {
        change({ isLeaving: false, failure })
      }
    },
    clear: () => signin?.client.removeUser(),
  }
}
