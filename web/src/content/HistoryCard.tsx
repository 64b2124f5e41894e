import { type Content, type ContentFields, type ContentVersion, listContentVersions } from '@passport/contract/content'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import { LineChanges } from '../directory/LineChanges.tsx'
import { Avatar } from '../ui/Avatar.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Tag } from '../ui/Tag.tsx'

interface HistoryCardProps {
  content: Content
  /** The text in the editor. */
  current: ContentFields
  onRestore: (version: number) => void
}

const initiallyShown = 5

/** The versions of a text, newest first, with a comparison of each with the editor. */
export function HistoryCard({ content: { slug, locale, version: newest }, current, onRestore }: HistoryCardProps) {
  const versions = useQuery(query(listContentVersions, { params: { slug }, query: { locale } }))
  const [compared, setCompared] = useState<ContentVersion>()
  const [isWhole, setWhole] = useState(false)
  const restore = (version: number) => {
    setCompared(undefined)
    onRestore(version)
  }
  return (
    <Card title="History">
      <Loaded query={versions} label="Loading the history" rows={2} rowClass="h-8">
        {(all) => (
          <>
            <ul className="pb-1.5">
              {all.slice(0, isWhole ? all.length : initiallyShown).map((version) => (
                <Row key={version.version} version={version} onCompare={() => setCompared(version)} />
              ))}
            </ul>
            {!isWhole && all.length > initiallyShown && (
              <Button variant="ghost" isSmall className="mb-2 ml-2" onClick={() => setWhole(true)}>
                Show all {all.length}
              </Button>
            )}
          </>
        )}
      </Loaded>
      <Dialog
        isOpen={compared !== undefined}
        onClose={() => setCompared(undefined)}
        title={compared ? `${nameVersion(compared)} and the editor` : ''}
        className="w-[720px]"
      >
        {compared && (
          <>
            {isSame(compared, current) ? (
              <p className="mt-1.5 text-ink2">No differences</p>
            ) : (
              <LineChanges from={format(compared)} to={format(current)} />
            )}
            <div className="mt-5 flex flex-wrap justify-end gap-2">
              <Button onClick={() => setCompared(undefined)}>Close</Button>
              {compared.version !== newest && (
                <Button variant="primary" onClick={() => restore(compared.version)}>
                  Restore
                </Button>
              )}
            </div>
          </>
        )}
      </Dialog>
    </Card>
  )
}

const isSame = (a: ContentFields, b: ContentFields) => a.title === b.title && a.body === b.body
const format = ({ title, body }: ContentFields) => `${title}\n\n${body}\n`
const nameVersion = ({ version, publishedAt }: ContentVersion) => (publishedAt ? `Version ${version}` : 'Draft')

interface RowProps {
  version: ContentVersion
  onCompare: () => void
}

function Row({ version, onCompare }: RowProps) {
  const { savedAt, savedBy, publishedAt, isPublished } = version
  const name = nameVersion(version)
  const author = savedBy ?? { id: 'command line', name: 'Command line' }
  return (
    <li className="flex min-h-[46px] items-center gap-3 border-t border-hair px-4 py-1.5 first:border-0 sm:px-[18px]">
      <Avatar id={author.id} name={author.name} />
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-2">
          {name}
          {isPublished && <Tag>Live</Tag>}
        </span>
        <span className="block truncate text-[13px] text-ink3">
          {author.name}, <RelativeTime at={publishedAt ?? savedAt} inSentence />
        </span>
      </span>
      <Button isSmall variant="ghost" aria-label={`Compare ${name}`} onClick={onCompare}>
        Compare
      </Button>
    </li>
  )
}
