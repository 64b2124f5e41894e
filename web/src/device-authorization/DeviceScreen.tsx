import type { ReactNode } from 'react'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { QrCode } from '../ui/QrCode.tsx'
import { CodeCells } from './CodeCells.tsx'
import type { DeviceAuthorizationResponse, Flow } from './device-flow.ts'
import { ExpiryRing } from './ExpiryRing.tsx'
import { PinForm } from './PinForm.tsx'

const stageTexts: Partial<Record<Flow['stage'], string>> = {
  idle: 'The code appears here.',
  starting: 'Requesting a code…',
  denied: 'Denied. The device gets no tokens.',
  expired: 'The code expired. Start again for a new one.',
  failed: 'The request failed. See the log.',
}

interface DeviceScreenProps {
  flow: Flow
  isEnhanced: boolean
  onStart: () => void
}

/** The screen of the simulated device, with its next step. */
export function DeviceScreen({ flow: { stage, authorization, tokens }, isEnhanced, onStart }: DeviceScreenProps) {
  const isEmpty = stage === 'idle' || stage === 'starting'
  const canRestart = stage === 'waiting' || stage === 'signed in'
  return (
    <Card
      title="Device screen"
      action={
        canRestart && (
          <Button isSmall onClick={onStart}>
            Start again
          </Button>
        )
      }
    >
      <div className="px-4 pt-1 pb-[18px] sm:px-[18px]">
        <div className="rounded-box border-4 border-line bg-well p-4 sm:p-6" aria-live="polite">
          {stageTexts[stage] && (
            <div className="grid min-h-64 content-center justify-items-center gap-5 text-center text-ink2 sm:min-h-72">
              {isEmpty && <EmptyCells />}
              <p>{stageTexts[stage]}</p>
              <Button variant="primary" className="h-11 min-w-40" isBusy={stage === 'starting'} onClick={onStart}>
                {isEmpty ? 'Start' : 'Start again'}
              </Button>
            </div>
          )}
          {stage === 'waiting' && authorization && <Waiting authorization={authorization} isEnhanced={isEnhanced} />}
          {stage === 'signed in' && tokens && (
            <>
              <p>
                <strong>{String(tokens.claims['name'] ?? tokens.claims['sub'])}</strong> is signed in on this device.
              </p>
              <pre className="mt-3 overflow-x-auto rounded-ctl bg-card p-3 font-mono text-[12px]">
                {JSON.stringify(
                  { scope: tokens.scope, expires_in: tokens.expiresInSeconds, ...tokens.claims },
                  null,
                  2,
                )}
              </pre>
            </>
          )}
        </div>
      </div>
    </Card>
  )
}

/** Takes the focus that the removed Start button had. */
function keepFocus(link: HTMLAnchorElement | null) {
  if (document.activeElement === document.body) link?.focus({ preventScroll: true })
}

/** What the approving user must do. */
function Waiting({ authorization, isEnhanced }: { authorization: DeviceAuthorizationResponse; isEnhanced: boolean }) {
  const { matchNumber, verificationUri, verificationUriComplete } = authorization
  return (
    <div className="grid items-start gap-x-8 gap-y-6 md:grid-cols-[minmax(0,1fr)_168px]">
      <div className="grid min-w-0 gap-6">
        <Part number={matchNumber ? 1 : undefined}>
          Go to <strong className="break-all">{verificationUri}</strong> and enter this code
          <CodeCells code={authorization.userCode} isLarge />
        </Part>
        {matchNumber && (
          <Part number={2}>
            Then enter this number
            <CodeCells code={matchNumber} isLarge />
          </Part>
        )}
        {authorization.isPinRequired && (
          <Part number={matchNumber ? 3 : undefined}>
            <PinForm deviceCode={authorization.deviceCode} />
          </Part>
        )}
      </div>
      <div className="mx-auto w-full max-w-42">
        <QrCode text={isEnhanced ? verificationUriComplete : verificationUri} label="QR code of the approval page" />
      </div>
      <div className="flex flex-wrap items-center gap-4 border-t border-line pt-4 md:col-span-2">
        <ExpiryRing startedAt={authorization.startedAt} seconds={authorization.expiresInSeconds} />
        <a
          ref={keepFocus}
          className={`${buttonClass('primary')} max-sm:flex-1`}
          href={verificationUriComplete}
          target="_blank"
          rel="noreferrer"
        >
          Approve in a new tab
        </a>
      </div>
    </div>
  )
}

/** A part of the instructions; numbered if there are several. */
function Part({ number, children }: { number: number | undefined; children: ReactNode }) {
  return (
    <div className="flex gap-3">
      {number !== undefined && (
        <span
          aria-hidden="true"
          className="grid size-6 shrink-0 place-items-center rounded-full bg-act text-[13px] font-[620] text-on-act"
        >
          {number}
        </span>
      )}
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  )
}

/** The place of the code. */
const EmptyCells = () => (
  <div aria-hidden="true" className="flex gap-1.5">
    {[...'12345678'].map((place) => (
      <span key={place} className="h-10 w-7 rounded-ctl border border-line bg-card nth-5:ml-3 sm:h-16 sm:w-12" />
    ))}
  </div>
)
