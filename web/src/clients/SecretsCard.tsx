import {
  type Client,
  type ClientSecret,
  createClientSecret,
  deleteClientSecret,
  getClient,
  maxClientSecrets,
} from '@passport/contract/clients'
import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { call } from '../app/api.ts'
import { reportFailure, reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { CardText } from '../directory/CardRows.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { takeNewSecret } from './new-secret.ts'

/** The secrets of an application: at most two, so that one can replace the other. A value is shown once. */
export function SecretsCard({ client: { clientId, secrets } }: { client: Client }) {
  const [shownSecret, setShownSecret] = useState(() => takeNewSecret(clientId))
  const [deleting, setDeleting] = useState<ClientSecret>()
  const refresh = () => void queryClient.invalidateQueries({ queryKey: [getClient.path] })
  const create = useMutation({
    mutationFn: () => call(createClientSecret, { params: { clientId } }),
    onSuccess: ({ secret }) => setShownSecret(secret),
    onError: (error) => reportFailure('create a secret', error),
    onSettled: refresh,
  })
  const remove = useMutation({
    mutationFn: (secretId: string) => call(deleteClientSecret, { params: { clientId, secretId } }),
    onSuccess: () => reportSuccess('Secret deleted'),
    onError: (error) => reportFailure('delete the secret', error),
    onSettled: () => {
      setDeleting(undefined)
      refresh()
    },
  })
  return (
    <Card
      title="Secrets"
      action={
        secrets.length < maxClientSecrets && (
          <Button isSmall isBusy={create.isPending} onClick={() => create.mutate()}>
            <Plus size={15} aria-hidden="true" />
            Create secret
          </Button>
        )
      }
    >
      {shownSecret && (
        <div
          role="status"
          className="mx-4 mb-3 rounded-ctl border border-line border-l-3 border-l-warn px-3.5 py-3 sm:mx-[18px]"
        >
          <p className="font-[560]">Copy the secret now. It isn't shown again.</p>
          <div className="mt-2 flex items-center gap-1 rounded-ctl bg-well pr-1 pl-2.5">
            <code className="min-w-0 flex-1 py-1.5 font-mono text-[13px] [overflow-wrap:anywhere]">{shownSecret}</code>
            <CopyButton text={shownSecret} label="Copy secret" />
          </div>
        </div>
      )}
      {secrets.length === 0 && <CardText>None. The application cannot get tokens.</CardText>}
      <ul className="pb-1">
        {secrets.map((secret, index) => (
          <li
            key={secret.id}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-hair px-4 py-2.5 first:border-0 sm:px-[18px]"
          >
            <span className="font-[560]">{`Secret ${index + 1}`}</span>
            <span className="min-w-0 flex-1 text-[13px] text-ink2">
              Created <RelativeTime at={secret.createdAt} inSentence />
              {secret.lastUsedAt ? (
                <>
                  , last used <RelativeTime at={secret.lastUsedAt} inSentence />
                </>
              ) : (
                ', never used'
              )}
            </span>
            <Button
              isSmall
              variant="danger"
              aria-label={`Delete secret ${index + 1}`}
              onClick={() => setDeleting(secret)}
            >
              Delete
            </Button>
          </li>
        ))}
      </ul>
      <Confirm
        isOpen={deleting !== undefined}
        title="Delete this secret?"
        action="Delete secret"
        isBusy={remove.isPending}
        onConfirm={() => deleting && remove.mutate(deleting.id)}
        onClose={() => setDeleting(undefined)}
      >
        {secrets.length > 1
          ? 'Applications that still use it are refused within a minute. The other secret stays valid.'
          : 'It is the only one: the application is refused within a minute.'}
      </Confirm>
    </Card>
  )
}
