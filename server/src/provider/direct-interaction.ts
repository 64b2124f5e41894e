import type { IdentityApi } from '@passport/contract/identity-apis'
import { combineWrites } from '../database/combine.ts'
import type { Services } from '../feature.ts'
import type { DirectResponse } from '../http/direct.ts'
import type { Trace } from '../sign-in-traces/trace.ts'
import { generateToken } from '../vault.ts'
import { purposeOfArtifact } from './adapter.ts'
import { startingNow } from './direct-issue.ts'
import { buildResumeUrl } from './interaction.ts'
import { toRedirect, traceRequest } from './issued-code.ts'
import { lifetimes } from './lifetimes.ts'
import { type PlainRequest, readStoredParameters, toStoredParameters } from './plain-request.ts'
import { traceNeededUser } from './record-traces.ts'
import * as store from './store.ts'

// Pending requests of browsers without a session, as the library stores them.

const purpose = purposeOfArtifact('passport', 'Interaction')
/** Why the library needs the user of a browser without a session. */
export const neededPrompt = { name: 'login', reasons: ['no_session'], details: {} }
const fields = new Set(['iat', 'exp', 'kind', 'returnTo', 'prompt', 'params', 'cid'])

/** A saved request. */
interface StartedRequest {
  /** The redirect to the page of the request, with its cookies. */
  response: DirectResponse
  trace: (traced: Pick<Parameters<typeof traceRequest>[1], 'client' | 'visit' | 'startedAt'>) => Trace
}

/** Creates the functions that save a request until its user has signed in, and read it again. */
export function createPendingRequests({ sql, vault, http, issuer }: Services) {
  const save = combineWrites((requests: store.NewArtifact[]) => store.savePendingRequests(sql, requests))
  return { start, read }

  async function start(request: PlainRequest, apis: IdentityApi[]): Promise<StartedRequest> {
    const uid = generateToken()
    const resumePath = buildResumeUrl(uid)
    const payload = {
      ...startingNow(lifetimes.Interaction),
      returnTo: http.publicUrl + resumePath,
      prompt: neededPrompt,
      params: toStoredParameters(request, apis),
      cid: generateToken(),
      kind: 'Interaction',
    }
    await save({
      issuer: 'passport',
      kind: 'Interaction',
      id: uid,
      payload: { sealed: vault.seal(purpose, JSON.stringify(payload)) },
      sealedId: null,
      accountId: null,
      grantId: null,
      uid: null,
      expiresInSeconds: lifetimes.Interaction,
    })
    const pagePath = `/connect/interaction/${uid}`
    const setCookie = issuer.cookies.formatPending(uid, { pagePath, resumePath, exp: payload.exp })
    return {
      response: toRedirect(pagePath, setCookie),
      trace: (traced) => traceNeededUser(traceRequest(request, { ...traced, uid }), neededPrompt),
    }
  }

  /**
   * Reads a stored request without a result; undefined if it has expired, is not fully understood, or needs anything but
   * a first sign-in.
   */
  function read(stored: store.Artifact['payload']) {
    const text = typeof stored['sealed'] === 'string' ? vault.open(purpose, stored['sealed']) : undefined
    const payload = JSON.parse(text ?? '{}') as Record<string, unknown>
    const { name, reasons, details } = (payload['prompt'] ?? {}) as Record<string, unknown>
    const isUnderstood =
      Object.keys(payload).every((field) => fields.has(field)) &&
      Number(payload['exp']) > Date.now() / 1000 &&
      name === neededPrompt.name &&
      JSON.stringify([reasons, details]) === JSON.stringify([neededPrompt.reasons, neededPrompt.details])
    return isUnderstood ? readStoredParameters(payload['params']) : undefined
  }
}
