import { Button, buttonClass } from '../ui/Button.tsx'
import { usePollState, useSessionChange } from './page-user.ts'
import { useSignInUrl } from './sign-in-url.ts'

/**
 * Reports a session change since the page was opened, and a server that does not answer. The page and its unsaved input
 * stay.
 */
export function SessionBar() {
  const { change, current } = useSessionChange()
  const signInUrl = useSignInUrl()
  const { failures, unknownAnswer } = usePollState()
  if (change === 'none' && failures === 0 && !unknownAnswer) return null
  const reload = (
    <Button isSmall onClick={() => location.reload()}>
      Reload
    </Button>
  )
  return (
    <div
      role="alert"
      className="sticky top-13 z-10 flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line bg-selection px-4 py-2 md:px-8"
    >
      {failures > 0 && <span className="font-[560]">Passport is not answering. Retrying…</span>}
      {unknownAnswer && (
        <span>
          Passport's answer about your session can't be read.
          {unknownAnswer.traceId && (
            <>
              {' '}
              Trace <code className="font-mono">{unknownAnswer.traceId}</code>
            </>
          )}
        </span>
      )}
      {change === 'signed out' && (
        <>
          <span className="font-[560]">You've been signed out.</span>
          <a className={buttonClass('primary', true)} href={signInUrl}>
            Sign in again
          </a>
        </>
      )}
      {change === 'another user' && (
        <>
          <span className="font-[560]">
            Now signed in as {current?.claims.name ?? current?.claims.preferred_username ?? 'another user'}
          </span>
          {reload}
        </>
      )}
      {change === 'other access' && (
        <>
          <span className="font-[560]">Your access changed</span>
          {reload}
        </>
      )}
    </div>
  )
}
