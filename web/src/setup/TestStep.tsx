import * as api from '@passport/contract/setup'
import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, LogIn } from 'lucide-react'
import { toFailure } from '../app/api.ts'
import { nameReason } from '../directory/failure-reasons.ts'
import { StepFoot } from '../entra/StepList.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Note } from '../ui/Note.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { setupCall } from './call.ts'
import type { StepProps } from './steps.ts'

/** The last step: a test sign-in, and what follows. */
export function TestStep({ state: { brand, org, tenant }, onGo }: StepProps) {
  const { test: result, code, support, address } = useSearch({ strict: false }) as Record<string, unknown>
  const test = useMutation({
    mutationFn: () => setupCall(api.startSetupTest, {}),
    onSuccess: ({ url }) => location.assign(url),
  })
  const isTested = tenant.testedAt !== null
  return (
    <>
      <Card title={isTested ? 'Tested' : 'Test the sign-in'}>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4 pt-1 pb-[18px] sm:px-[18px]">
          <div role="status" className="grid gap-4 empty:hidden">
            {result === 'failed' && (
              <Note icon={<CircleAlert size={18} className="text-bad" />} title="The test sign-in failed">
                {nameReason(String(code))}.{' '}
                {typeof support === 'string' && (
                  <>
                    Support code <code className="font-mono">{support}</code>
                  </>
                )}
              </Note>
            )}
            {isTested && result !== 'failed' && (
              <Note icon={<CircleCheck size={18} className="text-ok" />} title="The test sign-in succeeded">
                {tenant.testedAt && <RelativeTime at={tenant.testedAt} />}
                {address !== undefined && '. The email address of this user is not at a verified domain of the tenant.'}
              </Note>
            )}
          </div>
          <p className="text-ink2">
            Sign in with an account of your tenant. Nobody is signed in, and no account is created.
          </p>
          <p>
            <Button
              variant={isTested ? 'plain' : 'primary'}
              // The browser leaves the page.
              isBusy={test.isPending || test.isSuccess}
              onClick={() => test.mutate()}
            >
              <LogIn size={16} /> {isTested ? 'Test again' : 'Test sign-in'}
            </Button>
          </p>
          {test.error && <ErrorCard failure={toFailure(test.error, 'start the test')} />}
        </div>
      </Card>
      <Card title={isTested && !tenant.signInEnabled ? "You're done" : 'Then'}>
        <p className="px-4 pb-4 text-ink2 sm:px-[18px]">
          {tenant.signInEnabled
            ? `Users of ${org.name} can sign in.`
            : `${brand.name} checks the set-up and enables sign-in. Until then nobody of ${org.name} can sign in.`}
        </p>
      </Card>
      <StepFoot onBack={() => onGo('provisioning')} />
    </>
  )
}
