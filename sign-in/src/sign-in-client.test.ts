import { expect, test, vi } from 'vitest'
import { createSigninClient } from './sign-in-client.ts'

/* A server renders with the client: there is no `window`. Everything else is tested in a browser, in e2e/sign-in. */

const settings = { authority: 'https://op.example', client_id: 'app', redirect_uri: 'https://app.example/callback' }

test('is created on a server, without a user, a request, a timer or an open channel', async () => {
  expect(typeof window).toBe('undefined')
  const fetch = vi.fn()
  const setTimer = vi.spyOn(globalThis, 'setInterval')
  const openChannel = vi.spyOn(globalThis, 'BroadcastChannel')
  const logger = { error: vi.fn(), warn: vi.fn() }
  const background = { automaticSilentRenew: true, monitorAnonymousSession: true }
  const client = createSigninClient({ ...settings, fetch, logger, ...background })
  await expect(client.getUser()).resolves.toBeNull()
  await client.removeUser()
  await client.clearStaleState()
  client.close()
  for (const call of [fetch, setTimer, openChannel, logger.error, logger.warn]) expect(call).not.toHaveBeenCalled()
  setTimer.mockRestore()
  openChannel.mockRestore()
})

test('clients on a server share nothing', async () => {
  const [first, second] = [createSigninClient(settings), createSigninClient(settings)]
  const unloaded = vi.fn()
  second.on('userUnloaded', unloaded)
  await first.removeUser()
  expect(unloaded).not.toHaveBeenCalled()
})

test('reports a failed call at the level info', async () => {
  const info = vi.fn()
  const client = createSigninClient({ ...settings, redirect_uri: '', logger: { info }, logLevel: 'info' })
  await expect(client.signinRedirect()).rejects.toMatchObject({ code: 'no_redirect_uri' })
  expect(info).toHaveBeenCalledWith('A call failed', expect.objectContaining({ code: 'no_redirect_uri' }))
})
