import type { Grant } from 'oidc-provider'
import * as audit from '../audit/store.ts'
import type { Client } from '../clients/store.ts'
import * as consents from '../consents/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Caller } from '../http/caller.ts'
import { html, type Page } from '../http/page.ts'
import type { Visit } from '../http/visit.ts'
import { recordAuthorized, scopesOf } from './grants.ts'
import { toldScopes } from './scopes.ts'
import { noteLoginOfGrant } from './store.ts'

/** What a person is asked about: a client, and what it wants to do. */
export interface Question {
  uid: string
  client: Client
  scopes: string[]
  redirectUri: string
}

/** What is not allowed yet, as the protocol library tells it. */
export interface Missing {
  missingOIDCScope?: string[]
  missingResourceScopes?: Record<string, string[]>
}

/** Asks whether a client may have what it wants: who asks, what for, and two answers of equal weight. */
export function consentPage(question: Question, caller: Caller, brandName: string, sealedQuestion: string): Page {
  const { uid, client, scopes, redirectUri } = question
  const { origin, host, protocol } = new URL(redirectUri)
  const isWeb = protocol === 'https:' || protocol === 'http:'
  const body = html`<h1>Allow ${client.name}?</h1>
    <p>${client.name} asks to use your account at ${brandName}. It wants to:</p>
    <ul class="scopes">${toldScopes(scopes).map(({ name, description }) => html`<li>${description} <code>${name}</code></li>`)}</ul>
    <p class="quiet">You are signed in as <strong>${caller.name ?? caller.username ?? caller.id}</strong>.
      ${isWeb ? html`The answer goes to <strong>${host}</strong>.` : ''}</p>
    <form method="post" action="/connect/interaction/${uid}/consent">
      <input type="hidden" name="question" value="${sealedQuestion}">
      <p class="actions even"><button name="answer" value="allow">Allow</button>
        <button name="answer" value="deny">Deny</button></p>
    </form>
    <p class="quiet"><a href="/login?interaction=${encodeURIComponent(uid)}&amp;prompt=select_account">Use a different account</a></p>`
  return { title: `Allow ${client.name}?`, body, formTargets: isWeb ? [origin] : [] }
}

interface By {
  /** The login by which the person is signed in. */
  loginId: string | undefined
  visit: Visit
}

/** Keeps what a person allowed: in the grant, and where the client need not ask again, for other browsers too. */
export async function allow(sql: Sql, grant: Grant, client: Client, missing: Missing, by: By): Promise<string> {
  if (missing.missingOIDCScope) grant.addOIDCScope(missing.missingOIDCScope.join(' '))
  for (const [resource, scopes] of Object.entries(missing.missingResourceScopes ?? {}))
    grant.addResourceScope(resource, scopes.join(' '))
  const userId = grant.accountId ?? ''
  const grantId = await grant.save()
  await noteLoginOfGrant(sql, grantId, by.loginId)
  await transaction(sql, async (sql) => {
    await consents.allow(sql, userId, client.clientId, scopesOf(grant).split(' '))
    await recordAuthorized(sql, userId, client.clientId, scopesOf(grant), by.visit)
  })
  return grantId
}

export const recordRefused = (sql: Sql, userId: string, { client, scopes }: Question, visit: Visit) =>
  audit.record(sql, {
    action: 'client.refused',
    actorId: userId,
    target: { kind: 'user', id: userId },
    after: { client: client.clientId, scopes: scopes.join(' ') },
    visit,
  })
