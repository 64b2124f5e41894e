import { ApiError } from '@passport/contract/call'
import { diffPermissionSchema, putPermissionSchema } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import { undoToast } from '../ui/undo-toast.ts'
import { Differences } from './Differences.tsx'
import type { KnownSchema } from './schema.ts'

interface SaveSchemaProps {
  isOpen: boolean
  schema: KnownSchema
  draft: string
  onClose: () => void
  onSaved: () => void
}

/** Shows what another schema would change, and saves it against the version that was read. */
export function SaveSchema({ isOpen, ...rest }: SaveSchemaProps) {
  return (
    <Dialog isOpen={isOpen} onClose={rest.onClose} title="What this changes" className="w-[720px]">
      <Review {...rest} />
    </Dialog>
  )
}

function Review({ schema, draft, onClose, onSaved }: Omit<SaveSchemaProps, 'isOpen'>) {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const [isStale, setStale] = useState(false)
  // The version that it is compared to is a part of the question: another one is another answer.
  const difference = useQuery({
    queryKey: [diffPermissionSchema.path, draft, schema.etag],
    queryFn: ({ signal }) => call(diffPermissionSchema, { body: { text: draft } }, { signal }),
    gcTime: 0,
    retry: false,
  })
  const blocking = (difference.data?.differences ?? []).reduce((sum, one) => sum + one.blocking, 0)

  async function save() {
    setBusy(true)
    setFailure(undefined)
    try {
      await call(putPermissionSchema, { body: { text: draft } }, { ifMatch: schema.etag })
      await queryClient.invalidateQueries()
      void undoToast(
        'The schema is saved',
        () => call(putPermissionSchema, { body: { text: schema.text } }).then(() => queryClient.invalidateQueries()),
        (error) => failureOf(error).detail,
      )
      onSaved()
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) {
        setStale(true)
        await queryClient.invalidateQueries()
      } else setFailure(failureOf(error))
      setBusy(false)
    }
  }

  return (
    <>
      {isStale && (
        <p role="alert" className="mt-3 rounded-ctl border border-line border-l-3 border-l-warn px-3 py-2">
          Someone else saved a schema meanwhile. What is shown here now is the difference to theirs: saving replaces it.
        </p>
      )}
      <div className="mt-4 -mx-5 max-h-[55vh] overflow-y-auto">
        <Loaded query={difference} label="Comparing" rows={3}>
          {({ differences }) => <Differences differences={differences} />}
        </Loaded>
      </div>
      {failure && (
        <div className="mt-4">
          <ErrorCard failure={failure} />
        </div>
      )}
      {blocking > 0 && (
        <p className="mt-4 text-bad">
          It cannot be saved while relationships stand on what it removes: delete them first, or keep what they use.
        </p>
      )}
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Keep editing</Button>
        <Button
          look="primary"
          isBusy={isBusy}
          disabled={difference.data === undefined || blocking > 0}
          onClick={() => void save()}
        >
          {isStale ? 'Save mine' : 'Save the schema'}
        </Button>
      </div>
    </>
  )
}
