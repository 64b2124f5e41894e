// `npm run device`: a device without a keyboard, in a terminal. It signs in through Passport (RFC 8628) and prints the
// user. With `-- --pin` it asks for the PIN shown to the approving user. With `-- --meta NightOwl42` it is a headset, which
// connects the Meta account of its user to theirs in Passport; this needs the simulated Meta of `npm run world`.
import { createInterface } from 'node:readline/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { renderUnicodeCompact } from 'uqr'

const passport = process.env['PASSPORT_URL'] || 'http://localhost:3000'
if (!/^https?:/.test(URL.parse(passport)?.protocol ?? ''))
  fail(`PASSPORT_URL: ${passport} is no address like http://localhost:3000.`)
/** Where `npm run world` simulates the headset: four ports above Passport. */
const metaUrl = process.env['META_URL'] || `http://127.0.0.1:${Number(new URL(passport).port) + 4}/headset/proof`
const clientId = process.env['CLIENT_ID'] || 'passport-device-test'
const options = readOptions()

function readOptions() {
  try {
    return parseArgs({ options: { pin: { type: 'boolean' }, meta: { type: 'string' } } }).values
  } catch (error) {
    return fail(`${(error as Error).message}\nnpm run device [-- [--pin] [--meta <alias>]]`)
  }
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

async function send(url: string | URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch {
    const { origin } = new URL(url)
    if (origin !== new URL(passport).origin)
      return fail(`Nothing responds at ${origin}. --meta needs the simulated headset of npm run world.`)
    return fail(`No Passport responds at ${origin}. Start it with npm start, or set PASSPORT_URL to its address.`)
  }
}

async function post(path: string, form: Record<string, string>) {
  const response = await send(new URL(path, passport), { method: 'POST', body: new URLSearchParams(form) })
  const text = await response.text()
  try {
    return JSON.parse(text) as Record<string, string>
  } catch {
    return fail(`${new URL(path, passport)} responded with ${response.status}, and not as Passport does.`)
  }
}

async function submitPin(deviceCode: string) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  for (;;) {
    const pin = await terminal.question('  Enter the PIN that the approval page shows: ')
    const response = await send(new URL('/passport/deviceauthorization/pin', passport), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ deviceCode, pin: pin.trim() }),
    })
    if (response.ok) return terminal.close()
    console.log(`  ${((await response.json()) as { detail: string }).detail}`)
  }
}

/** Proves the Meta account of the headset's user, as an app with the Platform SDK does; returns the result. */
async function connectMeta(alias: string, headers: Record<string, string>): Promise<string> {
  const proof = await send(metaUrl, { method: 'POST', body: new URLSearchParams({ alias }) })
  const response = await send(new URL('/passport/connect/metahorizon/proof', passport), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: await proof.text(),
  })
  if (response.ok) return `The Meta account ${alias} is connected: ${new URL('/app/connect', passport)}`
  return `Passport rejected the proof: ${((await response.json()) as { detail: string }).detail}`
}

const authorization = await post('/connect/deviceauthorization', {
  client_id: clientId,
  scope: options.meta ? 'openid api_vertex_core' : 'openid profile email',
  ...(options.pin && { passport_pin: 'required' }),
})
if (!authorization['user_code']) {
  console.error(`Passport rejected the request: ${authorization['error_description'] ?? authorization['error']}`)
  process.exit(1)
}
console.log(`
  Open ${authorization['verification_uri']} and enter the code

      ${authorization['user_code']}

${renderUnicodeCompact(authorization['verification_uri_complete'] ?? '', { border: 2 })}
`)
const isPinRequired = authorization['passport_pin'] === 'required'
if (isPinRequired) void submitPin(authorization['device_code'] ?? '')
const progressTimer = setInterval(() => isPinRequired || process.stdout.write('.'), 1000)
let seconds = Number(authorization['interval'] ?? 5)
for (;;) {
  await wait(seconds * 1000)
  const tokenResponse = await post('/connect/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: authorization['device_code'] ?? '',
    client_id: clientId,
  })
  if (tokenResponse['error'] === 'slow_down') seconds += 5
  if (tokenResponse['error'] === 'authorization_pending' || tokenResponse['error'] === 'slow_down') continue
  clearInterval(progressTimer)
  if (tokenResponse['error']) {
    console.error(`\n\n  ${tokenResponse['error']}: ${tokenResponse['error_description']}\n`)
    process.exit(1)
  }
  const headers = { authorization: `Bearer ${tokenResponse['access_token']}` }
  if (options.meta) {
    console.log(`\n\n  ${await connectMeta(options.meta, headers)}\n`)
    process.exit(0)
  }
  const user = (await (await send(new URL('/connect/userinfo', passport), { headers })).json()) as {
    name?: string
    sub: string
  }
  console.log(`\n\n  Signed in as ${user.name ?? user.sub}.\n`)
  process.exit(0)
}
