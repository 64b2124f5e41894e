import { ApiError } from '@passport/contract/call'
import { diffPermissionSchema, putPermissionSchema } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { queryClient } from '../app/query-client.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import { undoToast } from '../ui/undo-toast.ts'
import { Differences } from './Differences.tsx'
import type { SchemaWithETag } from './schema.ts'

interface SaveSchemaProps {
  isOpen: boolean
  schema: SchemaWithETag
  draft: string
  onClose: () => void
  onSaved: () => void
}

/** Shows the effect of another schema and saves it, unless the stored version has changed. */
export function SaveSchema({ isOpen, ...rest }: SaveSchemaProps) {
  return (
    <Dialog isOpen={isOpen} onClose={rest.onClose} title="Review schema changes" className="w-[720px]">
      <Review {...rest} />
    </Dialog>
  )
}

function Review({ schema, draft, onClose, onSaved }: Omit<SaveSchemaProps, 'isOpen'>) {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const [isStale, setStale] = useState(false)
  // The compared version is part of the key.
  const difference = useQuery({
    queryKey: [diffPermissionSchema.path, draft, schema.etag],
    queryFn: ({ signal }) => call(diffPermissionSchema, { body: { text: draft } }, { signal }),
    gcTime: 0,
    retry: false,
  })
  const blocking = (difference.data?.differences ?? []).reduce((sum, entry) => sum + entry.blocking, 0)

  async function save() {
    setBusy(true)
    setFailure(undefined)
    try {
      await call(putPermissionSchema, { body: { text: draft } }, { ifMatch: schema.etag })
      await queryClient.invalidateQueries()
      void undoToast(
        'Schema saved',
        () => call(putPermissionSchema, { body: { text: schema.text } }).then(() => queryClient.invalidateQueries()),
        (error) => toFailure(error).detail,
      )
      onSaved()
    } catch (error) {
      if (error instanceof ApiError && error.status === 412) {
        setStale(true)
        await queryClient.invalidateQueries()
      } else setFailure(toFailure(error))
      setBusy(false)
    }
  }

  return (
    <>
      {isStale && (
        <p role="alert" className="mt-3 rounded-ctl border border-line border-l-3 border-l-warn px-3 py-2">
          Another user saved the schema after you opened it. The changes below are relative to their version. Saving
          replaces it.
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
          Delete the blocking relationships first, or keep the parts of the schema that they use.
        </p>
      )}
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Keep editing</Button>
        <Button
          variant="primary"
          isBusy={isBusy}
          disabled={difference.data === undefined || blocking > 0}
          onClick={() => void save()}
        >
          {isStale ? 'Replace schema' : 'Save schema'}
        </Button>
      </div>
    </>
  )
}
