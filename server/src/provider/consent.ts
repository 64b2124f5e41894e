import * as consents from '../accounts/consent-store.ts'
import * as audit from '../audit/store.ts'
import type { Client } from '../clients/store.ts'
import { isLoopbackHost } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import type { Brand } from '../http/brand.ts'
import type { Caller } from '../http/caller.ts'
import { type Html, html, type Page } from '../http/page.ts'
import type { Visit } from '../http/visit.ts'
import type { DescribedScope } from '../identity-apis/scopes.ts'
import { toAuthorizationEvent } from './issue-code.ts'

/** A client that requires consent, with the scopes that it requests. */
export interface ConsentRequest {
  uid: string
  client: Client
  scopes: string[]
  /** The scopes that users know, in display order. */
  described: DescribedScope[]
  redirectUri: string
}

/**
 * Renders the consent page: the client and the user, the permissions that the client requests, the host that the
 * browser returns to, and one main button. The terms of the protocol are in the details, for developers.
 */
export function renderConsentPage(
  consentRequest: ConsentRequest,
  caller: Caller,
  { brand, publicUrl }: { brand: Brand; publicUrl: string },
  sealedQuestion: string,
): Page {
  const { uid, client, described, redirectUri } = consentRequest
  const userName = caller.name ?? caller.username ?? caller.id
  const disclosedValues = disclosedValuesOf(caller)
  const body = html`<div class="head">
      <div class="pair" aria-hidden="true"><span class="picture app">${initialsOf(client.name)}</span>
        <span class="link-line"></span><span class="picture">${initialsOf(userName)}</span></div>
      <h1>Allow ${client.name}?</h1>
      <p>${client.name} wants to use your account at ${brand.name}.</p>
    </div>
    <h2>It will be able to</h2>
    <ul class="scopes">${described.map(({ name, description, isEmphasized }) => html`<li>${renderScopeIcon(name, description)}<span>${isEmphasized ? html`<strong>${description}</strong>` : description}${disclosedValues[name] ? html`<small>${disclosedValues[name]}</small>` : ''}</span></li>`)}</ul>
    <form method="post" action="/connect/interaction/${uid}/consent">
      <input type="hidden" name="question" value="${sealedQuestion}">
      <p class="actions"><button name="answer" value="allow">Allow</button>
        <button class="plain" name="answer" value="deny">Deny</button></p>
    </form>
    <p class="quiet centred">${describeReturn(client.name, redirectUri, brand.name, publicUrl)}
      You can revoke access at any time in your account.</p>
    <p class="quiet centred">Signed in as <strong>${userName}</strong>.
      <a href="/login?interaction=${encodeURIComponent(uid)}&amp;prompt=select_account">Use a different account</a></p>
    <details class="quiet"><summary>Details for developers</summary><dl>
      <dt>Client</dt><dd><code>${client.clientId}</code></dd>
      <dt>Scopes</dt><dd>${described.map(({ name }) => html`<code>${name}</code> `)}</dd>
      <dt>Redirect</dt><dd><code>${redirectUri}</code></dd>
    </dl></details>`
  return { title: `Allow ${client.name}?`, body, brand, formTargets: [redirectUri] }
}

/** The paths of the icons of scopes; those that change something have a pencil in the colour of warnings. */
const scopeIcons: Record<string, string> = {
  openid: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21a8 8 0 0 1 16 0',
  email: 'M3 6h18v13H3zM3 7l9 6 9-6',
  offline_access: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5l3 2',
  profile: 'M3 5h18v14H3zM9 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4M6 16a3 3 0 0 1 6 0M15 10h3M15 14h3',
}
const [readIcon, writeIcon] = [
  'M2 12s4-7 10-7 10 7 10 7-4 7-10 7-10-7-10-7M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6',
  'M4 20l1-5L16 4l4 4L9 19zM14 6l4 4',
]

/** Draws what a scope is about: the user's data, or else whether it reads or changes something. */
function renderScopeIcon(name: string, description: string): Html {
  const isWrite = /\b(?:add|change|create|delete|edit|manage|write)\b/i.test(description)
  const path = scopeIcons[name] ?? (isWrite ? writeIcon : readIcon)
  return html`<svg viewBox="0 0 24 24" aria-hidden="true" ${isWrite ? html`class="write"` : ''}><path d="${path}"/></svg>`
}

/** Returns the user's data that some scopes disclose, by scope. */
const disclosedValuesOf = ({ name, username, email }: Caller): Record<string, string | null> => ({
  profile: [name, username].filter(Boolean).join(', '),
  email,
  offline_access: 'Until you revoke access',
})

/** Returns the initials of the first and the last word of a name. */
function initialsOf(name: string): string {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []
  const picked = words.length > 1 ? [words[0], words.at(-1)] : words
  return picked.map((word = '') => word.match(/^.\p{M}*/u)?.[0].toUpperCase()).join('')
}

/** Renders where the browser goes after the decision. */
function describeReturn(clientName: string, redirectUri: string, brandName: string, publicUrl: string): Html {
  const { origin, protocol, host, hostname } = new URL(redirectUri)
  if (origin === publicUrl) return html`Either way you return to ${brandName}.`
  if (protocol !== 'https:' && protocol !== 'http:') return html`Either way you return to ${clientName} on this device.`
  return html`Either way you return to <strong>${host}</strong>${isLoopbackHost(hostname) ? ' on this computer' : ''}.`
}

interface NewConsent {
  userId: string
  clientId: string
  /** All scopes that the user grants, with those that they have granted before. */
  scopes: string[]
  visit: Visit
}

/** Saves a consent of a user, for later requests from any browser too, and records it. */
export async function saveConsent(sql: Sql, { userId, clientId, scopes, visit }: NewConsent): Promise<void> {
  await consents.addScopes(sql, userId, clientId, scopes)
  await audit.record(sql, { ...toAuthorizationEvent(userId, clientId, scopes.join(' ')), visit })
}

export const recordDenial = (sql: Sql, userId: string, { client, scopes }: ConsentRequest, visit: Visit) =>
  audit.record(sql, {
    action: 'client.refused',
    actorId: userId,
    target: { kind: 'user', id: userId },
    after: { client: client.clientId, scopes: scopes.join(' ') },
    visit,
  })
