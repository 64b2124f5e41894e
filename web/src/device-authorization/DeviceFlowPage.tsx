import { useState } from 'react'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { QrCode } from '../ui/QrCode.tsx'
import { CodeCells } from './CodeCells.tsx'
import { deviceScopes } from './device.ts'
import type { Flow } from './device-flow.ts'
import { ExpiryRing } from './ExpiryRing.tsx'
import { PersonLog } from './PersonLog.tsx'
import { PinForm } from './PinForm.tsx'
import { PollLog } from './PollLog.tsx'
import { useDevice } from './use-device.ts'

/** A device of any maker: it shows a code, and asks until somebody has approved (RFC 8628). */
export function DeviceFlowTestPage() {
  return (
    <DeviceFlow
      title="Device Flow Test"
      about="This page is a device without a keyboard: it gets a code, shows it, and waits. Approve it here or on a phone."
      isEnhanced={false}
    />
  )
}

/** The same by a device that shows a number as well: whoever approves must look at this very screen. */
export function EnhancedDevicePage() {
  return (
    <DeviceFlow
      title="Enhanced Device Flow"
      about="The same, safer: the address carries the code, and whoever approves must type a number that only this screen shows."
      isEnhanced
    />
  )
}

function DeviceFlow({ title, about, isEnhanced }: { title: string; about: string; isEnhanced: boolean }) {
  const { flow, start } = useDevice()
  const [scopes, setScopes] = useState<string[]>([...deviceScopes])
  const [isPinRequired, setPinRequired] = useState(false)
  const toggle = (scope: string) =>
    setScopes((all) => (all.includes(scope) ? all.filter((one) => one !== scope) : [...all, scope]))
  return (
    <div className="max-w-[1240px]">
      <h1>{title}</h1>
      <p className="mt-1 max-w-[70ch] text-ink2">{about}</p>
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-[260px_minmax(0,1fr)_320px]">
        <Card title="Ask" about="As the client passport-device-test.">
          <div className="px-5 pb-5">
            <fieldset className="grid gap-2">
              <legend className="mb-2 font-[560]">Scopes</legend>
              {deviceScopes.map((scope) => (
                <label key={scope} className="flex min-h-6 items-center gap-2">
                  <input
                    type="checkbox"
                    checked={scopes.includes(scope)}
                    disabled={scope === 'openid'}
                    onChange={() => toggle(scope)}
                  />
                  <code className="font-mono text-[13px]">{scope}</code>
                </label>
              ))}
            </fieldset>
            {isEnhanced && (
              <label className="mt-4 flex min-h-6 items-start gap-2 border-t border-line pt-4">
                <input
                  type="checkbox"
                  className="mt-1"
                  checked={isPinRequired}
                  onChange={() => setPinRequired(!isPinRequired)}
                />
                <span>
                  Ask for a PIN, too
                  <span className="block text-[13px] text-ink3">Whoever approves is shown it; it is typed here.</span>
                </span>
              </label>
            )}
            <Button
              look="primary"
              className="mt-4"
              isBusy={flow.stage === 'starting'}
              onClick={() => start({ scopes, isMatched: isEnhanced, isPinRequired: isEnhanced && isPinRequired })}
            >
              {flow.stage === 'idle' ? 'Start' : 'Start again'}
            </Button>
          </div>
        </Card>
        <Screen flow={flow} isEnhanced={isEnhanced} />
        <div className="grid gap-6">
          {isEnhanced && <PersonLog isOn={flow.stage !== 'idle'} />}
          <PollLog flow={flow} />
        </div>
      </div>
    </div>
  )
}

const endings: Partial<Record<Flow['stage'], string>> = {
  idle: 'Nothing has been asked yet.',
  starting: 'Asking …',
  refused: 'Somebody said no. The device gets nothing.',
  expired: 'Nobody approved in time. Start again for a new code.',
  failed: 'The service refused. The log tells why.',
}

/** What the device shows. */
function Screen({ flow: { stage, started, tokens }, isEnhanced }: { flow: Flow; isEnhanced: boolean }) {
  return (
    <Card title="The screen of the device">
      <div className="px-5 pb-5" aria-live="polite">
        {endings[stage] && <p className="text-ink2">{endings[stage]}</p>}
        {stage === 'waiting' && started && (
          <div className="flex flex-wrap items-start gap-6">
            <div className="min-w-0">
              <p>
                Go to <strong className="break-all">{started.verificationUri}</strong> and give this code:
              </p>
              <CodeCells code={started.userCode} />
              {started.matchNumber && (
                <p className="mt-4">
                  Then type this number:{' '}
                  <strong className="ml-1 font-mono text-[28px] tracking-[.15em]">{started.matchNumber}</strong>
                </p>
              )}
              {started.isPinRequired && <PinForm deviceCode={started.deviceCode} />}
              <div className="mt-4 flex flex-wrap items-center gap-4">
                <ExpiryRing from={started.startedAt} seconds={started.expiresInSeconds} />
                <a className={buttonClass()} href={started.verificationUriComplete} target="_blank" rel="noreferrer">
                  Approve in a new tab
                </a>
              </div>
            </div>
            <QrCode
              text={isEnhanced ? started.verificationUriComplete : started.verificationUri}
              label="The address to approve at, as a QR code"
            />
          </div>
        )}
        {stage === 'signed in' && tokens && (
          <>
            <p>
              <strong>{String(tokens.claims['name'] ?? tokens.claims['sub'])}</strong> is signed in on this device.
            </p>
            <pre className="mt-3 overflow-x-auto rounded-ctl bg-well p-3 font-mono text-[12px]">
              {JSON.stringify({ scope: tokens.scope, expires_in: tokens.expiresInSeconds, ...tokens.claims }, null, 2)}
            </pre>
          </>
        )}
      </div>
    </Card>
  )
}
