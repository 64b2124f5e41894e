// `npm run device`: a device without a keyboard, in a terminal. It signs in through Passport (RFC 8628) and says who it is.
// With `-- --pin` it asks for the PIN that whoever approves is shown.
import { createInterface } from 'node:readline/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { renderUnicodeCompact } from 'uqr'

const passport = process.env['PASSPORT_URL'] || 'http://localhost:3000'
const clientId = process.env['CLIENT_ID'] || 'passport-device-test'

async function post(path: string, form: Record<string, string>) {
  const response = await fetch(new URL(path, passport), { method: 'POST', body: new URLSearchParams(form) })
  return (await response.json()) as Record<string, string>
}

async function givePin(deviceCode: string) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  for (;;) {
    const pin = await terminal.question('  The PIN that is shown after the approval: ')
    const response = await fetch(new URL('/passport/deviceauthorization/pin', passport), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ deviceCode, pin: pin.trim() }),
    })
    if (response.ok) return terminal.close()
    console.log(`  ${((await response.json()) as { detail: string }).detail}`)
  }
}

const started = await post('/connect/deviceauthorization', {
  client_id: clientId,
  scope: 'openid profile email',
  ...(process.argv.includes('--pin') && { passport_pin: 'required' }),
})
if (!started['user_code']) {
  console.error(`Passport refused: ${started['error_description'] ?? started['error']}`)
  process.exit(1)
}
console.log(`
  Open ${started['verification_uri']} and give the code

      ${started['user_code']}

${renderUnicodeCompact(started['verification_uri_complete'] ?? '', { border: 2 })}
`)
const isPinRequired = started['passport_pin'] === 'required'
if (isPinRequired) void givePin(started['device_code'] ?? '')
const stop = setInterval(() => isPinRequired || process.stdout.write('.'), 1000)
let seconds = Number(started['interval'] ?? 5)
for (;;) {
  await wait(seconds * 1000)
  const answer = await post('/connect/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: started['device_code'] ?? '',
    client_id: clientId,
  })
  if (answer['error'] === 'slow_down') seconds += 5
  if (answer['error'] === 'authorization_pending' || answer['error'] === 'slow_down') continue
  clearInterval(stop)
  if (answer['error']) {
    console.error(`\n\n  ${answer['error']}: ${answer['error_description']}\n`)
    process.exit(1)
  }
  const headers = { authorization: `Bearer ${answer['access_token']}` }
  const person = (await (await fetch(new URL('/connect/userinfo', passport), { headers })).json()) as {
    name?: string
    sub: string
  }
  console.log(`\n\n  Signed in as ${person.name ?? person.sub}.\n`)
  process.exit(0)
}
