import { disableEntra, enableEntra, startEntraTest } from '@passport/contract/entra'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { Cancelled } from '../app/reauthentication.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'
import type { EntraOrg } from './wizard.ts'

/** The test sign-in of a tenant, and the switch that lets its users in. */
export function SignInCard({ org: { id, entra } }: { org: EntraOrg }) {
  const { signInEnabled, testedAt, consent, displayName, tenantId } = entra
  const signInUrl = `${location.origin}/login?tenant=${tenantId}`
  const [isDisabling, setDisabling] = useState(false)
  const queryClient = useQueryClient()
  const params = { orgId: id }
  const handleError = (operation: string) => (error: Error) => {
    if (!(error instanceof Cancelled)) reportFailure(operation, error)
  }
  const test = useMutation({
    mutationFn: () => call(startEntraTest, { params }),
    onSuccess: ({ url }) => location.assign(url),
    onError: handleError('start the test'),
  })
  const enable = useMutation({
    mutationFn: () => call(enableEntra, { params }),
    onSuccess: () => reportSuccess('Sign-in enabled'),
    onError: handleError('enable sign-in'),
    onSettled: () => queryClient.invalidateQueries(),
  })
  const disable = useMutation({
    mutationFn: () => call(disableEntra, { params }),
    onSuccess: () => reportSuccess('Sign-in disabled'),
    onError: handleError('disable sign-in'),
    onSettled: () => {
      setDisabling(false)
      return queryClient.invalidateQueries()
    },
  })
  return (
    <Card title="Sign-in">
      <ul className="pb-1">
        <Row
          title="Test sign-in"
          detail="With an account of the tenant. Nobody is signed in, and no account is created."
          status={
            testedAt ? (
              <Status tone="ok">
                <span>
                  Tested <RelativeTime at={testedAt} inSentence />
                </span>
              </Status>
            ) : (
              <Status tone="off">Not tested</Status>
            )
          }
          action={
            <Button
              isSmall
              variant={testedAt || consent !== 'granted' ? 'plain' : 'primary'}
              // The browser leaves the page.
              isBusy={test.isPending || test.isSuccess}
              disabled={consent !== 'granted'}
              onClick={() => test.mutate()}
            >
              {testedAt ? 'Test again' : 'Test sign-in'}
            </Button>
          }
        />
        <Row
          title={`Sign-in with ${displayName}`}
          detail={
            <>
              A user who has another account here gets a second one. To keep one, they first link this sign-in in{' '}
              <Link to="/account/logins" className="link">
                their account
              </Link>
              .
            </>
          }
          status={<Status tone={signInEnabled ? 'ok' : 'off'}>{signInEnabled ? 'Enabled' : 'Disabled'}</Status>}
          action={
            signInEnabled ? (
              <Button isSmall variant="danger" onClick={() => setDisabling(true)}>
                Disable…
              </Button>
            ) : (
              <Button
                isSmall
                variant={testedAt ? 'primary' : 'plain'}
                isBusy={enable.isPending}
                disabled={!testedAt || consent !== 'granted'}
                onClick={() => enable.mutate()}
              >
                Enable sign-in
              </Button>
            )
          }
        />
        {signInEnabled && (
          <Row
            title="Sign-in link"
            detail={<code className="font-mono text-[12.5px] [overflow-wrap:anywhere]">{signInUrl}</code>}
            action={<CopyButton text={signInUrl} label="Copy sign-in link" />}
          />
        )}
      </ul>
      <Confirm
        isOpen={isDisabling}
        title={`Disable sign-in with ${displayName}?`}
        action="Disable sign-in"
        isBusy={disable.isPending}
        onConfirm={() => disable.mutate()}
        onClose={() => setDisabling(false)}
      >
        Its users can't sign in any more, and their sessions and tokens end now.
      </Confirm>
    </Card>
  )
}

interface RowProps {
  title: string
  detail: ReactNode
  status?: ReactNode
  action: ReactNode
}

const Row = ({ title, detail, status, action }: RowProps) => (
  <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-hair px-4 py-3 first:border-0 sm:px-[18px]">
    <div className="min-w-0 flex-1 basis-60 leading-snug">
      <p>{title}</p>
      <p className="text-[13px] text-ink3">{detail}</p>
    </div>
    {status}
    {action}
  </li>
)
