import { expect, test } from 'vitest'
import { useProvider } from '../test-provider.ts'

const { op, providerWith } = await useProvider()

test('loads metadata from below the authority, once for concurrent callers', async () => {
  const provider = providerWith()
  const [first, second] = await Promise.all([provider.metadata(), provider.metadata()])
  expect(first).toBe(second)
  expect(first.token_endpoint).toBe(`${op.issuer}/token`)
  expect(op.requests().map(({ path }) => path)).toEqual(['/.well-known/openid-configuration'])
})

test('accepts an authority with a trailing slash', async () => {
  await providerWith({ authority: `${op.issuer}/` }).metadata()
  expect(op.requests().map(({ path }) => path)).toEqual(['/.well-known/openid-configuration'])
})

test('accepts the metadata URL as authority, for the issuer below it', async () => {
  const authority = `${op.issuer}/.well-known/openid-configuration`
  await expect(providerWith({ authority }).metadata()).resolves.toMatchObject({ issuer: op.issuer })
  expect(op.requests().map(({ path }) => path)).toEqual(['/.well-known/openid-configuration'])
  op.script.metadata = { issuer: 'https://elsewhere.example' }
  await expect(providerWith({ authority }).metadata()).rejects.toMatchObject({ code: 'invalid_response' })
})

test.each([{ issuer: undefined }, { issuer: 7 }, { issuer: '' }])('rejects metadata with %j', async (metadata) => {
  op.script.metadata = metadata
  await expect(providerWith().metadata()).rejects.toMatchObject({ code: 'invalid_response' })
})

test('rejects metadata of another issuer', async () => {
  op.script.metadata = { issuer: 'https://elsewhere.example' }
  await expect(providerWith().metadata()).rejects.toMatchObject({ name: 'SigninError', code: 'invalid_response' })
})

test('the metadata seed adds missing metadata and overrides nothing', async () => {
  op.script.metadata = { userinfo_endpoint: undefined }
  const metadataSeed = {
    userinfo_endpoint: 'https://seed.example/userinfo',
    token_endpoint: 'https://seed.example/token',
  }
  const metadata = await providerWith({ metadataSeed }).metadata()
  expect(metadata.userinfo_endpoint).toBe('https://seed.example/userinfo')
  expect(metadata.token_endpoint).toBe(`${op.issuer}/token`)
})

test('does not load metadata given in the settings', async () => {
  const metadata = { issuer: op.issuer }
  await expect(providerWith({ metadata }).metadata()).resolves.toBe(metadata)
  expect(op.requests()).toEqual([])
})

test('loads metadata from metadataUrl, for the same issuer', async () => {
  const metadataUrl = `${op.issuer}/.well-known/openid-configuration?tenant=1`
  await providerWith({ metadataUrl }).metadata()
  expect(op.requests()[0]?.query).toEqual({ tenant: '1' })
  op.script.metadata = { issuer: 'https://elsewhere.example' }
  await expect(providerWith({ metadataUrl }).metadata()).rejects.toMatchObject({ code: 'invalid_response' })
})

test.each([
  ['close', 'Network Error'],
  [{ error: 'down', status: 500 }, 'down'],
  [{ status: 404 } as never, 'Not Found (404)'],
] as const)('a metadata response %j is reported as “%s” and retried', async (behaviour, message) => {
  op.script.discovery = behaviour
  const provider = providerWith()
  await expect(provider.metadata()).rejects.toMatchObject({ message })
  op.script.discovery = 'respond'
  await expect(provider.metadata()).resolves.toMatchObject({ issuer: op.issuer })
})

test('a caller that aborts does not cancel the request for others', async () => {
  const provider = providerWith()
  const controller = new AbortController()
  const aborted = provider.metadata(controller.signal)
  const waiting = provider.metadata()
  controller.abort()
  await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
  await expect(waiting).resolves.toMatchObject({ issuer: op.issuer })
})

test('allows plain http only for the local machine', async () => {
  const remote = providerWith({ authority: 'http://op.example' })
  await expect(remote.metadata()).rejects.toMatchObject({ code: 'insecure_address' })
  const url = providerWith({ metadataUrl: 'http://op.example/metadata' })
  await expect(url.metadata()).rejects.toMatchObject({ code: 'insecure_address' })
})
