import { type App, expect, test } from './app.ts'

const renew = (app: App, options: object = {}) =>
  app.page.evaluate((silentOptions) => window.settle(window.client.signinSilent(silentOptions)), options)

const withRefresh = { scope: 'openid profile offline_access' }

test.describe('with a refresh token', () => {
  test('calls the token endpoint and changes only the tokens of the user', async ({ app, op }) => {
    await app.open(withRefresh)
    await app.signIn()
    const before = await app.stored()
    op.script.tokenResponse = { scope: 'other', token_type: 'bearer', session_state: 'other', expires_in: 7200 }
    op.script.claims = { name: 'Another User' }
    const { value } = await renew(app)
    const after = await app.stored()
    expect(after).toEqual({
      ...before,
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      id_token: expect.any(String),
      expires_at: expect.any(Number),
    })
    for (const changed of ['access_token', 'refresh_token', 'id_token'])
      expect(after?.[changed]).not.toBe(before?.[changed])
    expect(Number(after?.['expires_at'])).toBeGreaterThan(Number(before?.['expires_at']))
    expect(value).toEqual(after)
    expect(await app.events()).toEqual(['userLoaded', 'userLoaded'])
    expect(op.requests('/authorize')).toHaveLength(1)
  })

  test('keeps the fields missing in the response', async ({ app, op }) => {
    await app.open(withRefresh)
    await app.signIn()
    const before = await app.stored()
    op.script.tokenResponse = { id_token: undefined, refresh_token: undefined, expires_in: undefined }
    await renew(app)
    expect(await app.stored()).toEqual({ ...before, access_token: expect.any(String) })
  })

  test('a user removed during the renewal stays removed', async ({ app }) => {
    await app.open(withRefresh)
    await app.signIn()
    const settled = await app.page.evaluate(async () => {
      const renewal = window.settle(window.client.signinSilent())
      await window.client.removeUser()
      return renewal
    })
    expect(settled).toEqual({ value: null })
    expect(await app.stored()).toBeNull()
    expect(await app.events()).toEqual(['userLoaded', 'userUnloaded'])
  })

  test('a user removed during the token request stays removed', async ({ app, page }) => {
    await app.open(withRefresh)
    await app.signIn()
    await page.route('**/token', async (route) => {
      await page.evaluate(() => window.client.removeUser())
      await route.continue()
    })
    expect(await renew(app)).toEqual({ value: null })
    expect([await app.stored(), await app.events()]).toEqual([null, ['userLoaded', 'userUnloaded']])
  })

  for (const [claims, message] of [
    [{ sub: 'eve' }, 'sub in id_token does not match current sub'],
    [{ auth_time: 1 }, 'auth_time in id_token does not match original auth_time'],
    [{ azp: 'other' }, 'azp in id_token does not match original azp'],
    [{ azp: undefined }, 'azp not in id_token, but present in original id_token'],
    [{ exp: 1 }, 'Failed to validate id_token'],
    [{ nonce: 'another' }, 'Failed to validate id_token'],
  ] as const) {
    test(`rejects a refresh with ${JSON.stringify(claims)} and changes nothing`, async ({ app, op }) => {
      await app.open(withRefresh)
      await app.signIn()
      const before = await app.stored()
      op.script.claims = claims
      expect(await renew(app)).toMatchObject({ error: { message } })
      expect(await app.stored()).toEqual(before)
    })
  }

  for (const [token, message] of [
    ['empty', 'No response returned from token endpoint'],
    ['null', 'No response returned from token endpoint'],
    [{ error: 'invalid_client', error_description: 'Who?' }, 'invalid_client'],
    [{ error: 'server_error' }, 'server_error'],
    ['close', 'Network Error'],
  ] as const) {
    test(`a token response ${JSON.stringify(token)} rejects with “${message}”`, async ({ app, op }) => {
      await app.open(withRefresh)
      await app.signIn()
      const before = await app.stored()
      op.script.token = token
      expect(await renew(app)).toMatchObject({ error: { name: 'SigninError', message } })
      expect(await app.stored()).toEqual(before)
    })
  }

  test('rejects a response without an access token', async ({ app, op }) => {
    await app.open(withRefresh)
    await app.signIn()
    op.script.tokenResponse = { access_token: undefined }
    expect(await renew(app)).toMatchObject({ error: { message: 'No access token returned from token endpoint' } })
  })

  test('sends the scope, resource and extra parameters of the call, and none of the settings', async ({ app, op }) => {
    await app.open({ ...withRefresh, extraTokenParams: { audience: 'code' }, resource: 'https://api.example' })
    await app.signIn()
    await renew(app)
    await renew(app, { scope: 'openid', resource: 'https://other.example', extraTokenParams: { audience: 'refresh' } })
    const [exchange, refresh, customRefresh] = op.requests('/token').map(({ form }) => {
      const { scope, resource, audience } = form
      return { scope, resource, audience }
    })
    expect(exchange).toEqual({ audience: 'code' })
    expect(refresh).toEqual({})
    expect(customRefresh).toEqual({ scope: 'openid', resource: 'https://other.example', audience: 'refresh' })
    expect(await app.stored()).toMatchObject({ scope: withRefresh.scope })
  })

  test('a renewal with a scope does not share the outcome of one without', async ({ app, op }) => {
    await app.open(withRefresh)
    await app.signIn()
    await app.page.evaluate(() =>
      Promise.all([window.client.signinSilent(), window.client.signinSilent({ scope: 'openid' })]),
    )
    expect(op.requests('/token').map(({ form }) => form['scope'])).toEqual([undefined, undefined, 'openid'])
  })

  test('rejects a renewed ID token with the hash of another access token', async ({ app, op }) => {
    await app.open(withRefresh)
    await app.signIn()
    const before = await app.stored()
    op.script.claims = { at_hash: 'of-another-token' }
    expect(await renew(app)).toMatchObject({ error: { message: 'Failed to validate id_token' } })
    expect(await app.stored()).toEqual(before)
  })

  test('concurrent renewals share one request', async ({ app, op }) => {
    await app.open(withRefresh)
    await app.signIn()
    const [first, second] = await app.page.evaluate(async () => {
      const users = await Promise.all([window.client.signinSilent(), window.client.signinSilent()])
      return users.map((user) => user?.access_token)
    })
    expect(first).toBe(second)
    expect(op.requests('/token')).toHaveLength(2)
  })

  test('removes an invalid refresh token, and the next renewal uses the frame', async ({ app, op }) => {
    await app.open(withRefresh)
    await app.signIn()
    op.script.token = { error: 'invalid_grant' }
    const { error } = await renew(app)
    expect(error?.code).toBe('invalid_grant')
    expect(await app.stored()).toMatchObject({ profile: { sub: 'ada' } })
    expect(await app.stored()).not.toHaveProperty('refresh_token')
    op.script.token = 'respond'
    expect(await renew(app)).toMatchObject({ value: { refresh_token: expect.any(String) } })
  })
})

test.describe('in a frame', () => {
  test('requests with prompt none and the ID token as hint, and stores the user', async ({ app, op }) => {
    await app.open()
    await app.signIn()
    const before = await app.stored()
    expect(await renew(app)).toMatchObject({ value: { profile: { sub: 'ada' } } })
    expect(op.requests('/authorize')[1]?.query).toMatchObject({
      prompt: 'none',
      id_token_hint: before?.['id_token'],
    })
    expect((await app.stored())?.['access_token']).not.toBe(before?.['access_token'])
    expect(await app.events()).toEqual(['userLoaded', 'userLoaded'])
    expect(await app.page.locator('iframe').count()).toBe(0)
  })

  test('works without a signed-in user', async ({ app }) => {
    await app.open()
    expect(await renew(app)).toMatchObject({ value: { profile: { sub: 'ada' } } })
    expect(await app.events()).toEqual(['userLoaded'])
  })

  test('omits the hint if configured', async ({ app, op }) => {
    await app.open({ includeIdTokenInSilentRenew: false })
    await app.signIn()
    await renew(app)
    expect(op.requests('/authorize')[1]?.query).not.toHaveProperty('id_token_hint')
  })

  test('can be forced despite a refresh token', async ({ app, op }) => {
    await app.open(withRefresh)
    await app.signIn()
    await renew(app, { forceIframeAuth: true })
    expect(op.requests('/authorize')).toHaveLength(2)
  })

  test('rejects without a redirect URL', async ({ app }) => {
    await app.open({ redirect_uri: '' })
    expect(await renew(app)).toMatchObject({ error: { message: 'No silent_redirect_uri configured' } })
    const query = await app.page.evaluate(() => window.settle(window.client.querySessionStatus()))
    expect(query.error?.message).toBe('No silent_redirect_uri configured')
  })

  test('redirects to the URL of frames, or of redirects', async ({ app, op }) => {
    await app.open({ silent_redirect_uri: `${app.url}/callback?silent` })
    await renew(app)
    expect(op.requests('/authorize')[0]?.query['redirect_uri']).toBe(`${app.url}/callback?silent`)
  })

  test('rejects with login_required without a session at the provider', async ({ app, op }) => {
    op.script.session = undefined
    await app.open()
    expect(await renew(app)).toMatchObject({ error: { message: 'login_required', code: 'login_required' } })
    expect(await app.events()).toEqual([])
  })

  test('rejects another user with login_required and stores nothing', async ({ app, op }) => {
    await app.open({ validateSubOnSilentRenew: true })
    await app.signIn()
    const before = await app.stored()
    op.script.session = { sub: 'eve', sid: 'session-2', state: 'state-2' }
    expect(await renew(app)).toMatchObject({ error: { message: 'login_required', code: 'login_required' } })
    expect([await app.stored(), await app.events()]).toEqual([before, ['userLoaded']])
  })

  test('accepts another user by default', async ({ app, op }) => {
    await app.open()
    await app.signIn()
    op.script.session = { sub: 'eve', sid: 'session-2', state: 'state-2' }
    expect(await renew(app)).toMatchObject({ value: { profile: { sub: 'eve' } } })
  })

  for (const [stage, hang] of [
    ['the provider hangs', { authorization: 'hang' }],
    ['the callback sends nothing', {}],
  ] as const) {
    test(`times out after 10 s, and no sooner, when ${stage}`, async ({ app, op }) => {
      await app.open({ silent_redirect_uri: `${app.url}/silence` })
      Object.assign(op.script, hang)
      await app.page.clock.install()
      await app.page.evaluate(() => {
        window.outcome = window.settle(window.client.signinSilent())
      })
      await expect(app.page.locator('iframe')).toBeAttached()
      // The clock keeps running between these.
      await app.page.clock.runFor(8000)
      const early = await app.page.evaluate(() => Promise.race([window.outcome, Promise.resolve('still waiting')]))
      expect(early).toBe('still waiting')
      await app.page.clock.runFor(2000)
      const { error } = await app.page.evaluate(() => window.outcome)
      expect(error).toMatchObject({ message: 'Frame window timed out', code: 'frame_timeout' })
      await expect(app.page.locator('iframe')).not.toBeAttached()
    })
  }

  test('a call has its own time-out', async ({ app }) => {
    await app.open({ silent_redirect_uri: `${app.url}/silence` })
    await app.page.clock.install()
    await app.page.clock.pauseAt(Date.now() + 60_000)
    await app.page.evaluate(() => {
      window.outcome = window.settle(window.client.signinSilent({ silentRequestTimeout: 3000 }))
    })
    const frameCount = async () => {
      await app.page.clock.runFor(1)
      return app.page.locator('iframe').count()
    }
    await expect.poll(frameCount).toBe(1)
    await app.page.clock.runFor(3000)
    expect(await app.page.evaluate(() => window.outcome)).toMatchObject({ error: { code: 'frame_timeout' } })
  })

  for (const prompt of ['', undefined]) {
    test(`requests with prompt none if the call has ${JSON.stringify(prompt)}, despite the prompt of the settings`, async ({
      app,
      op,
    }) => {
      await app.open({ prompt: 'login' })
      await app.page.evaluate((value) => window.client.signinSilent({ prompt: value } as object), prompt)
      expect(op.requests('/authorize')[0]?.query).toMatchObject({ prompt: 'none' })
    })
  }

  test('accepts only a URL of this origin, from the frame itself', async ({ app }) => {
    await app.open({ silent_redirect_uri: `${app.url}/silence` })
    await app.page.evaluate(() => {
      window.outcome = window.settle(window.client.signinSilent())
    })
    const frame = app.page.locator('iframe')
    await expect.poll(() => app.page.frames()[1]?.url()).toMatch(/silence\?.*code=/)
    const responseUrl = (app.page.frames()[1]?.url() ?? '').replace('/silence', '/callback')
    await app.page.evaluate((message) => window.postMessage(message, location.origin), responseUrl)
    await app.page.frames()[1]?.evaluate(
      (messages) => {
        for (const message of messages) parent.postMessage(message, location.origin)
      },
      [
        '',
        7,
        { url: responseUrl },
        'ftp://elsewhere.example/',
        'https://elsewhere.example/',
        'javascript:0',
        responseUrl.replace('http://', '//'),
      ],
    )
    await app.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
    await expect(frame).toBeAttached()
    await app.page.frames()[1]?.evaluate((message) => parent.postMessage(message, location.origin), responseUrl)
    expect(await app.page.evaluate(() => window.outcome)).toMatchObject({ value: { profile: { sub: 'ada' } } })
  })

  test('ignores a frame of another origin', async ({ app, op }) => {
    op.script.authorization = 'ask'
    await app.open({ silentRequestTimeout: 1500 })
    await app.page.evaluate(() => {
      window.outcome = window.settle(window.client.signinSilent({ prompt: 'login' }))
    })
    await expect.poll(() => op.requests('/authorize').length).toBe(1)
    const { state } = op.requests('/authorize')[0]?.query ?? {}
    await app.page.frameLocator('iframe').locator('a').first().waitFor({ state: 'attached' })
    await app.page
      .frames()[1]
      ?.evaluate((message) => parent.postMessage(message, '*'), `${app.url}/callback?code=c&state=${state}`)
    expect(await app.page.evaluate(() => window.outcome)).toMatchObject({
      error: { message: 'Frame window timed out' },
    })
    expect(op.requests('/token')).toEqual([])
  })

  test('aborting settles the call once and removes the frame', async ({ app, op }) => {
    op.script.authorization = 'hang'
    await app.open()
    const settled = await app.page.evaluate(async () => {
      const controller = new AbortController()
      const renewal = window.settle(window.client.signinSilent({ signal: controller.signal }))
      while (!document.querySelector('iframe')) await new Promise(requestAnimationFrame)
      controller.abort()
      return renewal
    })
    expect(settled.error?.code).toBe('aborted')
    await expect(app.page.locator('iframe')).not.toBeAttached()
  })
})
