import { ApiError, createApiCall } from '@passport/contract/call'
import * as api from '@passport/contract/setup'
import { queryOptions } from '@tanstack/react-query'
import { setupToken } from '../app/address-secrets.ts'

/** Calls the service as the browser of a set-up link: regardless of a session, which may be another user's. */
export const setupCall = createApiCall(location.origin)

/** The call that opens the link of this document, once. */
let opening: Promise<api.OpenedSetup> | undefined

/** Loads the state of the set-up. The first time, it opens the link in the address. */
export const setupQuery = queryOptions<api.SetupState | api.OpenedSetup>({
  queryKey: [api.getSetup.path],
  queryFn: ({ signal }) => {
    if (setupToken === '' || opening) return setupCall(api.getSetup, {}, { signal })
    opening = setupCall(api.openSetupLink, { body: { token: setupToken } })
    // A network that fails must not use up the only attempt.
    opening.catch((error: unknown) => {
      if (!(error instanceof ApiError)) opening = undefined
    })
    return opening
  },
})

/** Returns the code of a problem; undefined for other errors. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof ApiError ? error.problem?.code : undefined
