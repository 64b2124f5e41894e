import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { watchPath } from '@passport/contract/permissions'
import type { PermissionEngine, WatchEvent } from '@passport/permissions'
import { calculateJwkThumbprint, decodeJwt, exportJWK, SignJWT } from 'jose'
import * as oauth from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { createStreamSlots } from '../http/stream-slots.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { streamChanges } from './watch-stream.ts'

const secret = 'the secret of an application that asks for itself'
const stage = { clientId: 'stage', clientName: 'Stage', clientSecret: secret, scopes: ['permissions.read'] }

let service: TestService
beforeAll(async () => {
  service = await startTestService({ CLIENTS: JSON.stringify([stage]) })
})

async function startServer(handle: (incoming: IncomingMessage, outgoing: ServerResponse) => void): Promise<number> {
  const server = createServer(handle)
  onFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

test('a stream ends when the user loses access', async () => {
  const max = await service.as('max')
  const port = await startServer((incoming, outgoing) => {
    streamChanges(service.services, incoming, outgoing, { acquireSlot: createStreamSlots(), heartbeatMs: 20 }).catch(
      () => outgoing.destroy(),
    )
  })
  const response = await fetch(`http://127.0.0.1:${port}`, { headers: { cookie: max.cookie } })
  const reader = response.body?.getReader()
  await reader?.read()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('still here')
  await service.sql`delete from role_members where user_id = ${max.id}`
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read());
})

test('a stream stops reading events while the client does not read', async () => {
  const { cookie } = await service.as('ada')
  const eventCount = 2000
  let sentCount = 0
  let outgoing: ServerResponse | undefined
  const event: WatchEvent = {
    token: 'x',
    isSchemaChange: false,
    updates: Array.from({ length: 200 }, (_, index) => ({
      operation: 'touch',
      relationship: {
        resource: { type: 'document', id: `document-${index}` },
        relation: 'viewer',
        subject: { type: 'user', id: 'ann' },
      },
    })),
  }
  const watch: PermissionEngine['watch'] = async function* () {
    for (; sentCount < eventCount; sentCount++) yield event
  }
  const permissions = { ...service.services.permissions, watch }
  const port = await startServer((incoming, result) => {
    outgoing = result
    streamChanges({ ...service.services, permissions }, incoming, result, {
      acquireSlot: createStreamSlots(),
    }).catch(() => result.destroy())
  })
  const clientRequest = request({ port, host: '127.0.0.1', headers: { cookie } }).end()
  const [response] = (await once(clientRequest, 'response')) as [IncomingMessage]
  await expect.poll(() => outgoing?.writableNeedDrain).toBe(true)
  expect(sentCount).toBeLessThan(eventCount)
  response.resume()
  await once(response, 'end')
  expect(sentCount).toBe(eventCount)
})

const discoverClient = () =>
  oauth.discovery(new URL(service.url), stage.clientId, {}, oauth.ClientSecretBasic(secret), {
    execute: [oauth.allowInsecureRequests],
  })

describe('a client that watches', () => {
  async function startWatching(headers: Record<string, string>) {
    const port = await startServer((incoming, outgoing) => {
      streamChanges(service.services, incoming, outgoing, { acquireSlot: createStreamSlots(), heartbeatMs: 20 }).catch(
        () => outgoing.destroy(),
      )
    })
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers })
    expect(response.status).toBe(200)
    const reader = response.body?.getReader()
    await reader?.read()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('still here')
    return {
      ended: async () => {
        for (let part = await reader?.read(); part && !part.done; part = await reader?.read());
        return true
      },
    }
  }

  test('is disconnected when its token is revoked', async () => {
    const configuration = await discoverClient()
    const { access_token: token } = await oauth.clientCredentialsGrant(configuration, { scope: 'permissions.read' })
    const { ended } = await startWatching({ authorization: `Bearer ${token}` })
    await oauth.tokenRevocation(configuration, token)
    expect(await ended()).toBe(true)
  })

  test('is disconnected when its DPoP-bound token is revoked', async () => {
    const configuration = await discoverClient()
    const keys = await oauth.randomDPoPKeyPair('ES256', { extractable: true })
    const { access_token: token } = await oauth.clientCredentialsGrant(
      configuration,
      { scope: 'permissions.read' },
      { DPoP: oauth.getDPoPHandle(configuration, keys) },
    )
    const jwk = await exportJWK(keys.publicKey)
    expect(decodeJwt(token)).toMatchObject({ cnf: { jkt: await calculateJwkThumbprint(jwk) } })
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
    const proof = await new SignJWT({
      htm: 'GET',
      htu: `${service.services.http.publicUrl}/`,
      ath: Buffer.from(hash).toString('base64url'),
    })
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
      .setJti(crypto.randomUUID())
      .setIssuedAt()
      .sign(keys.privateKey)
    const { ended } = await startWatching({ authorization: `DPoP ${token}`, dpop: proof })
    await oauth.tokenRevocation(configuration, token)
    expect(await ended()).toBe(true)
  })
})

describe('the number of streams is limited', () => {
  test('per caller', async () => {
    const { cookie } = await service.as('ada')
    const { access_token: token } = await oauth.clientCredentialsGrant(await discoverClient(), {
      scope: 'permissions.read',
    })
    const open = async (headers: Record<string, string> = { cookie }) => {
      const leaving = new AbortController()
      const response = await fetch(service.url + watchPath, { headers, signal: leaving.signal })
      return { response, leave: () => leaving.abort() }
    }
    const streams = await Promise.all(Array.from({ length: 20 }, () => open()))
    expect(streams.map(({ response }) => response.status)).toEqual(streams.map(() => 200))
    const { response: rejected } = await open()
    expect(rejected.status).toBe(429)
    expect(rejected.headers.get('retry-after')).toBe('30')
    expect(await rejected.json()).toMatchObject({ code: 'too-many-streams' })
    const clientStream = await open({ authorization: `Bearer ${token}` })
    expect(clientStream.response.status).toBe(200)
    streams[0]?.leave()
    let again = await open()
    await expect
      .poll(async () => {
        if (again.response.status !== 200) again = await open()
        return again.response.status
      })
      .toBe(200)
    for (const { leave } of [...streams, clientStream, again]) leave()
  })

  test('in total', () => {
    const acquireSlot = createStreamSlots({ perCaller: 2, total: 3 })
    const leave = acquireSlot('ann')
    for (const caller of ['ann', 'bob']) acquireSlot(caller)
    expect(() => acquireSlot('cid')).toThrow(expect.objectContaining({ status: 503, code: 'streams-exhausted' }))
    expect(() => acquireSlot('ann')).toThrow(expect.objectContaining({ status: 429, code: 'too-many-streams' }))
    leave()
    // Releasing a slot twice frees only one.
    leave()
    acquireSlot('cid')
    expect(() => acquireSlot('eve')).toThrow(expect.objectContaining({ status: 503 }))
  })
})
