import type { Grant } from 'oidc-provider'
import * as consents from '../accounts/consent-store.ts'
import * as audit from '../audit/store.ts'
import type { Client } from '../clients/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { html, type Page } from '../http/page.ts'
import type { Visit } from '../http/visit.ts'
import { formatScopes, recordAuthorized } from './grants.ts'
import { describeScopes } from './scopes.ts'
import { recordLoginOfGrant } from './store.ts'

/** A consent question: a client, and the scopes it requests. */
export interface ConsentRequest {
  uid: string
  client: Client
  scopes: string[]
  redirectUri: string
}

/** The scopes that lack consent, as reported by the protocol library. */
export interface MissingScopes {
  missingOIDCScope?: string[]
  missingResourceScopes?: Record<string, string[]>
}

/** Renders the consent page: the client, its scopes, and two buttons of equal weight. */
export function renderConsentPage(
  consentRequest: ConsentRequest,
  caller: Caller,
  brandName: string,
  sealedQuestion: string,
): Page {
  const { uid, client, scopes, redirectUri } = consentRequest
  const { origin, host, protocol } = new URL(redirectUri)
  const isWeb = protocol === 'https:' || protocol === 'http:'
  const body = html`<h1>Allow ${client.name}?</h1>
    <p>${client.name} wants to use your account at ${brandName}. It will be able to:</p>
    <ul class="scopes">${describeScopes(scopes).map(({ name, description }) => html`<li>${description} <code>${name}</code></li>`)}</ul>
    <p class="quiet">You are signed in as <strong>${caller.name ?? caller.username ?? caller.id}</strong>.
      ${isWeb ? html`You will be redirected to <strong>${host}</strong>.` : ''}</p>
    <form method="post" action="/connect/interaction/${uid}/consent">
      <input type="hidden" name="question" value="${sealedQuestion}">
      <p class="actions even"><button name="answer" value="allow">Allow</button>
        <button name="answer" value="deny">Deny</button></p>
    </form>
    <p class="quiet"><a href="/login?interaction=${encodeURIComponent(uid)}&amp;prompt=select_account">Use a different account</a></p>`
  return { title: `Allow ${client.name}?`, body, formTargets: isWeb ? [origin] : [] }
}

interface ConsentContext {
  /** The login with which the user is signed in. */
  loginId: string | undefined
  visit: Visit
}

/** Saves a consent: in the grant, and for other browsers too if the client need not ask again. */
export async function saveConsent(
  sql: Sql,
  grant: Grant,
  client: Client,
  missingScopes: MissingScopes,
  context: ConsentContext,
): Promise<string> {
  if (missingScopes.missingOIDCScope) grant.addOIDCScope(missingScopes.missingOIDCScope.join(' '))
  for (const [resource, scopes] of Object.entries(missingScopes.missingResourceScopes ?? {}))
    grant.addResourceScope(resource, scopes.join(' '))
  const userId = grant.accountId ?? ''
  const grantId = await grant.save()
  await recordLoginOfGrant(sql, grantId, context.loginId)
  await transaction(sql, async (sql) => {
    await consents.addScopes(sql, userId, client.clientId, formatScopes(grant).split(' '))
    await recordAuthorized(sql, userId, client.clientId, formatScopes(grant), context.visit)
  })
  return grantId
}

export const recordRefused = (sql: Sql, userId: string, { client, scopes }: ConsentRequest, visit: Visit) =>
  audit.record(sql, {
    action: 'client.refused',
    actorId: userId,
    target: { kind: 'user', id: userId },
    after: { client: client.clientId, scopes: scopes.join(' ') },
    visit,
  })
