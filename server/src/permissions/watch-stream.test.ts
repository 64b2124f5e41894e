import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { watchPath } from '@passport/contract/permissions'
import type { PermissionEngine, WatchEvent } from '@passport/permissions/engine'
import { calculateJwkThumbprint, decodeJwt, exportJWK, SignJWT } from 'jose'
import * as oauth from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { atTheEnd } from '../test-endings.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { createPlaces } from './stream-places.ts'
import { streamChanges } from './watch-stream.ts'

const secret = 'the secret of an application that asks for itself'
const stage = { clientId: 'stage', clientName: 'Stage', clientSecret: secret, scopes: ['permissions.read'] }

let service: TestService
beforeAll(async () => {
  service = await startTestService({ CLIENTS: JSON.stringify([stage]) })
})

async function serving(answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void): Promise<number> {
  const server = createServer(answer)
  atTheEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

test('who may watch no more is told no more', async () => {
  const max = await service.as('max')
  const port = await serving((incoming, outgoing) => {
    streamChanges(service.services, incoming, outgoing, { takePlace: createPlaces(), beatMs: 20 }).catch(() =>
      outgoing.destroy(),
    )
  })
  const response = await fetch(`http://127.0.0.1:${port}`, { headers: { cookie: max.cookie } })
  const reader = response.body?.getReader()
  await reader?.read()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('still here')
  await service.sql`delete from role_members where user_id = ${max.id}`
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read());
})

test('whoever does not listen is told no more than fits on the way', async () => {
  const { cookie } = await service.as('ada')
  const all = 2000
  let told = 0
  let outgoing: ServerResponse | undefined
  const event: WatchEvent = {
    token: 'x',
    isSchemaChange: false,
    updates: Array.from({ length: 200 }, (_, at) => ({
      operation: 'touch',
      relationship: {
        resource: { type: 'document', id: `document-${at}` },
        relation: 'viewer',
        subject: { type: 'user', id: 'ann' },
      },
    })),
  }
  const watch: PermissionEngine['watch'] = async function* () {
    for (; told < all; told++) yield event
  }
  const permissions = { ...service.services.permissions, watch }
  const port = await serving((incoming, answer) => {
    outgoing = answer
    streamChanges({ ...service.services, permissions }, incoming, answer, {
      takePlace: createPlaces(),
    }).catch(() => answer.destroy())
  })
  const asking = request({ port, host: '127.0.0.1', headers: { cookie } }).end()
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  await expect.poll(() => outgoing?.writableNeedDrain).toBe(true)
  expect(told).toBeLessThan(all)
  response.resume()
  await once(response, 'end')
  expect(told).toBe(all)
})

const configured = () =>
  oauth.discovery(new URL(service.url), stage.clientId, {}, oauth.ClientSecretBasic(secret), {
    execute: [oauth.allowInsecureRequests],
  })

describe('an application that watches', () => {
  async function watching(headers: Record<string, string>) {
    const port = await serving((incoming, outgoing) => {
      streamChanges(service.services, incoming, outgoing, { takePlace: createPlaces(), beatMs: 20 }).catch(() =>
        outgoing.destroy(),
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

  test('is told no more when its token was revoked', async () => {
    const configuration = await configured()
    const { access_token: token } = await oauth.clientCredentialsGrant(configuration, { scope: 'permissions.read' })
    const { ended } = await watching({ authorization: `Bearer ${token}` })
    await oauth.tokenRevocation(configuration, token)
    expect(await ended()).toBe(true)
  })

  test('is told no more when its token is bound to a key and was revoked', async () => {
    const configuration = await configured()
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
      htu: `${service.services.door.publicUrl}/`,
      ath: Buffer.from(hash).toString('base64url'),
    })
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
      .setJti(crypto.randomUUID())
      .setIssuedAt()
      .sign(keys.privateKey)
    const { ended } = await watching({ authorization: `DPoP ${token}`, dpop: proof })
    await oauth.tokenRevocation(configuration, token)
    expect(await ended()).toBe(true)
  })
})

describe('there are only so many streams', () => {
  test('of one caller', async () => {
    const { cookie } = await service.as('ada')
    const { access_token: token } = await oauth.clientCredentialsGrant(await configured(), {
      scope: 'permissions.read',
    })
    const open = async (headers: Record<string, string> = { cookie }) => {
      const leaving = new AbortController()
      const response = await fetch(service.url + watchPath, { headers, signal: leaving.signal })
      return { response, leave: () => leaving.abort() }
    }
    const streams = await Promise.all(Array.from({ length: 20 }, () => open()))
    expect(streams.map(({ response }) => response.status)).toEqual(streams.map(() => 200))
    const { response: refused } = await open()
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('30')
    expect(await refused.json()).toMatchObject({ code: 'too-many-streams' })
    const theirs = await open({ authorization: `Bearer ${token}` })
    expect(theirs.response.status).toBe(200)
    streams[0]?.leave()
    let again = await open()
    await expect
      .poll(async () => {
        if (again.response.status !== 200) again = await open()
        return again.response.status
      })
      .toBe(200)
    for (const { leave } of [...streams, theirs, again]) leave()
  })

  test('of all together', () => {
    const take = createPlaces({ ofCaller: 2, ofAll: 3 })
    const leave = take('ann')
    for (const caller of ['ann', 'bob']) take(caller)
    expect(() => take('cid')).toThrow(expect.objectContaining({ status: 503, code: 'streams-exhausted' }))
    expect(() => take('ann')).toThrow(expect.objectContaining({ status: 429, code: 'too-many-streams' }))
    leave()
    // To leave twice gives no second place.
    leave()
    take('cid')
    expect(() => take('eve')).toThrow(expect.objectContaining({ status: 503 }))
  })
})
