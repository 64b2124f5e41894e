import type { SignIn } from '../accounts/session-store.ts'
import type { Sql } from '../database/sql.ts'
import { type Grant, toArtifact, toTimes } from './grant-store.ts'
import * as store from './store.ts'

/** Saves a device code, which awaits its user. */
export const saveDeviceCode = (
  sql: Sql,
  { deviceCode, userCode, clientId, now, lifetimeSec }: NewDeviceCode,
): Promise<void> => {
  const payload = { ...toTimes(now, lifetimeSec), kind: 'DeviceCode', clientId }
  return store.saveArtifact(sql, { ...toArtifact('DeviceCode', deviceCode, payload, lifetimeSec), userCode })
}

interface NewDeviceCode {
  deviceCode: string
  userCode: string
  clientId: string
  now: number
  lifetimeSec: number
}

/** What a user grants to a device. */
export interface DeviceGrant extends Pick<Grant, 'id' | 'userId' | 'scopes' | 'authTime' | 'amr' | 'acr'> {
  /** The scopes of the issuer. */
  openIdScopes: string[]
  /** The scopes of each API, by its audience. */
  scopesByAudience: Record<string, string[]>
  /** The sign-in of the approving user, with which the grant ends. */
  signIn: SignIn | undefined
  /** The current time in seconds since 1970. */
  now: number
  lifetimeSec: number
}

/** Grants a device what its user approved; it gets its tokens with its next poll. Returns false if its code has ended. */
export function grantToDevice(sql: Sql, userCode: string, grant: DeviceGrant): Promise<boolean> {
  const { id, userId, scopes, openIdScopes, scopesByAudience, authTime, amr, acr, signIn, now, lifetimeSec } = grant
  const [resource, ...others] = Object.keys(scopesByAudience)
  const approval = {
    scope: scopes.join(' '),
    resource: others.length > 0 ? [resource, ...others] : resource,
    authTime,
    amr,
    acr,
  }
  const resources = Object.entries(scopesByAudience).map(([audience, scopes]) => [audience, scopes.join(' ')])
  const payload = {
    ...toTimes(now, lifetimeSec),
    kind: 'Grant',
    accountId: userId,
    openid: { scope: openIdScopes.join(' ') },
    ...(resource !== undefined && { resources: Object.fromEntries(resources) }),
  }
  const artifact = { ...toArtifact('Grant', id, payload, lifetimeSec, { id, userId }), signIn }
  return store.approveDeviceCode(sql, userCode, approval, artifact)
}
