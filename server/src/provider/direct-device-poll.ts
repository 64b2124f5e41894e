import { deviceCodeGrant, hasDeviceFlow } from '../clients/grant-types.ts'
import type { RecordPendingPoll } from '../device-authorization/store.ts'
import type { DirectResponse } from '../http/direct.ts'
import { slowDown } from './device-flow.ts'
import type { ClientRequest } from './direct-client.ts'

/** The response of the library to a device whose user has not decided yet (RFC 8628, section 3.5). */
const authorizationPending = {
  error: 'authorization_pending',
  error_description:
    "authorization request is still pending as the end-user hasn't yet completed the user interaction steps",
}

/**
 * Answers a poll of a device that waits for its user, with one statement that also records the poll. A decided,
 * expired or unknown code, and that of another client or of one that has changed, is for the library.
 */
export async function answerPoll(
  recordPendingPoll: RecordPendingPoll,
  { client, parameters, respond }: ClientRequest,
): Promise<DirectResponse | undefined> {
  if (parameters.get('grant_type') !== deviceCodeGrant || !hasDeviceFlow(client.grantTypes)) return undefined
  const deviceCode = parameters.get('device_code')
  const poll = deviceCode === undefined ? undefined : await recordPendingPoll(deviceCode, client)
  return poll && { ...respond(poll.isTooSoon ? slowDown : authorizationPending), status: 400 }
}
