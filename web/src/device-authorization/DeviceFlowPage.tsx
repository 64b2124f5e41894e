import { useState } from 'react'
import { Card } from '../ui/Card.tsx'
import { ApprovalLog } from './ApprovalLog.tsx'
import { DeviceScreen } from './DeviceScreen.tsx'
import { deviceScopes } from './device.ts'
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
      <p className="mt-1 max-w-[110ch] text-ink2">{description}</p>
      <div className="cols mt-6">
        <div className="grid gap-4">
          <DeviceScreen
            flow={flow}
            isEnhanced={isEnhanced}
            onStart={() => start({ scopes, isMatchRequired: isEnhanced, isPinRequired: isEnhanced && isPinRequired })}
          />
          {flow.stage !== 'idle' && <PollLog flow={flow} />}
        </div>
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
            </div>
          </Card>
          {isEnhanced && flow.stage !== 'idle' && <ApprovalLog />}
        </div>
      </div>
    </div>
  )
}
