import { expect, test } from 'vitest'
import { clientId, redirectUri, useProvider } from '../test-provider.ts'
import { exchange } from './connection.ts'
import { deriveExpectedIdToken } from './id-token.ts'
import { readUserInfoResponse, sendUserInfoRequest } from './user-info.ts'

const { op, providerWith, settingsWith } = await useProvider()

/** Obtains a token without this package. */
async function accessToken() {
  const verifier = 'a verifier of no importance'
  const challenge = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
  const query = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: Buffer.from(challenge).toString('base64url'),
  }
  const response = await fetch(`${op.issuer}/authorize?${new URLSearchParams(query)}`, { redirect: 'manual' })
  const code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }
  const tokens = await fetch(`${op.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({ ...form, client_id: clientId }),
  })
  return ((await tokens.json()) as { access_token: string }).access_token
}

async function load(token?: string) {
  const provider = providerWith()
  const connection = await provider.connect()
  const keys = await provider.keys()
  const expected = deriveExpectedIdToken(connection.server, settingsWith())
  const bearer = token ?? (await accessToken())
  return exchange(
    () => sendUserInfoRequest(connection, bearer),
    (response) => readUserInfoResponse(response, 'ada', keys, expected),
  )
}

test('requests user-info with the access token as bearer token', async () => {
  const token = await accessToken()
  await expect(load(token)).resolves.toEqual({ sub: 'ada', name: 'Ada Quist', preferred_username: 'ada' })
  expect(op.requests('/userinfo')).toMatchObject([{ method: 'GET', headers: { authorization: `Bearer ${token}` } }])
})

test('accepts a signed response only with a valid signature', async () => {
  op.script.userInfoForm = 'signed'
  await expect(load()).resolves.toMatchObject({ name: 'Ada Quist' })
  op.script.userInfoForm = 'forged'
  await expect(load()).rejects.toMatchObject({ name: 'SigninError', code: 'invalid_response' })
})

test.each([{ iss: 'https://elsewhere.example' }, { aud: 'other' }])(
  'rejects a signed response with %j',
  async (claims) => {
    op.script.userInfoForm = 'signed'
    op.script.userInfoClaims = claims
    await expect(load()).rejects.toMatchObject({ code: 'invalid_response' })
  },
)

test.each([{ sub: 'eve' }, { sub: undefined }])('rejects claims with %j', async (claims) => {
  op.script.userInfoClaims = claims
  await expect(load()).rejects.toMatchObject({
    message: 'sub from user info endpoint does not match sub in id_token',
    code: 'sub_mismatch',
  })
})

test('reports an error response by its code', async () => {
  await expect(load('unknown')).rejects.toMatchObject({ message: 'invalid_token' })
})
