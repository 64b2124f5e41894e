import { useState } from 'react'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { QrCode } from '../ui/QrCode.tsx'
import { ApprovalLog } from './ApprovalLog.tsx'
import { CodeCells } from './CodeCells.tsx'
import { deviceScopes } from './device.ts'
import type { Flow } from './device-flow.ts'
import { ExpiryRing } from './ExpiryRing.tsx'
import { PinForm } from './PinForm.tsx'
import { PollLog } from './PollLog.tsx'
import { useDevice } from './use-device.ts'

/** Simulates a device that shows a code and polls until approval (RFC 8628). */
export function DeviceFlowTestPage() {
  return (
    <DeviceFlow
      title="Device flow test"
      description="Simulates a device without a keyboard: it shows a code and waits for approval in another tab or on a phone."
      isEnhanced={false}
    />
  )
}

/** Simulates a device that also shows a number, which proves that the approving user sees this screen. */
export function EnhancedDevicePage() {
  return (
    <DeviceFlow
      title="Enhanced device flow"
      description="The device flow with number matching: the approver must enter a number that only this screen shows."
      isEnhanced
    />
  )
}

function DeviceFlow({ title, description, isEnhanced }: { title: string; description: string; isEnhanced: boolean }) {
  const { flow, start } = useDevice()
  const [scopes, setScopes] = useState<string[]>([...deviceScopes])
  const [isPinRequired, setPinRequired] = useState(false)
  const toggle = (scope: string) =>
    setScopes((all) => (all.includes(scope) ? all.filter((name) => name !== scope) : [...all, scope]))
  return (
    <div>
      <h1>{title}</h1>
      <p className="mt-1 max-w-[70ch] text-ink2">{description}</p>
      <div className="cols mt-6">
        <Screen flow={flow} isEnhanced={isEnhanced} />
        <div className="grid gap-4">
          <Card title="Request">
            <div className="px-4 pb-[18px] sm:px-[18px]">
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
                    Require a PIN
                    <span className="block text-[13px] text-ink3">The approver sees a PIN to enter here.</span>
                  </span>
                </label>
              )}
              <Button
                variant={flow.stage === 'waiting' ? 'plain' : 'primary'}
                className="mt-4"
                isBusy={flow.stage === 'starting'}
                onClick={() =>
                  start({ scopes, isMatchRequired: isEnhanced, isPinRequired: isEnhanced && isPinRequired })
                }
              >
                {flow.stage === 'idle' ? 'Start' : 'Start again'}
              </Button>
            </div>
          </Card>
          {isEnhanced && <ApprovalLog isEnabled={flow.stage !== 'idle'} />}
          <PollLog flow={flow} />
        </div>
      </div>
    </div>
  )
}

const stageTexts: Partial<Record<Flow['stage'], string>> = {
  idle: 'Not started yet.',
  starting: 'Requesting a code…',
  denied: 'Denied. The device gets no tokens.',
  expired: 'The code expired. Start again for a new one.',
  failed: 'The request failed. See the log.',
}

/** The screen of the simulated device. */
function Screen({ flow: { stage, authorization, tokens }, isEnhanced }: { flow: Flow; isEnhanced: boolean }) {
  return (
    <Card title="Device screen">
      <div className="px-4 pb-[18px] sm:px-[18px]" aria-live="polite">
        {stageTexts[stage] && (
          <div className="grid min-h-32 content-center justify-items-center gap-5 text-center text-ink2 lg:min-h-64">
            {(stage === 'idle' || stage === 'starting') && <EmptyCells />}
            <p>{stageTexts[stage]}</p>
          </div>
        )}
        {stage === 'waiting' && authorization && (
          <div className="grid items-center gap-6 md:grid-cols-[minmax(0,1fr)_176px]">
            <div className="min-w-0">
              <p>
                Go to <strong className="break-all">{authorization.verificationUri}</strong> and enter this code:
              </p>
              <CodeCells code={authorization.userCode} isLarge />
              {authorization.matchNumber && (
                <p className="mt-4">
                  Then enter this number:{' '}
                  <strong className="ml-1 font-mono text-[28px] tracking-[.15em]">{authorization.matchNumber}</strong>
                </p>
              )}
              {authorization.isPinRequired && <PinForm deviceCode={authorization.deviceCode} />}
              <div className="mt-4 flex flex-wrap items-center gap-4">
                <ExpiryRing startedAt={authorization.startedAt} seconds={authorization.expiresInSeconds} />
                <a
                  className={buttonClass('primary')}
                  href={authorization.verificationUriComplete}
                  target="_blank"
                  rel="noreferrer"
                >
                  Approve in a new tab
                </a>
              </div>
            </div>
            <div className="mx-auto w-full max-w-44">
              <QrCode
                text={isEnhanced ? authorization.verificationUriComplete : authorization.verificationUri}
                label="QR code of the approval page"
              />
            </div>
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

/** The place of the code. */
const EmptyCells = () => (
  <div aria-hidden="true" className="flex gap-1.5">
    {[...'12345678'].map((place) => (
      <span key={place} className="h-12 w-8 rounded-ctl border border-dashed border-edge nth-5:ml-3 sm:h-14 sm:w-11" />
    ))}
  </div>
)
