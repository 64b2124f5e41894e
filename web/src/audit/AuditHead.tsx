import { ChevronDown, Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { download } from '../app/DownloadLink.tsx'
import { PageMenu } from '../directory/PageMenu.tsx'
import { Menu, type MenuItem } from '../ui/Menu.tsx'
import { formatExportUrl } from './export-url.ts'

interface AuditHeadProps {
  /** Below the title. */
  line: ReactNode
  /** What is exported. */
  filter: Parameters<typeof formatExportUrl>[0]
  copyConfig?: MenuItem | undefined
}

/** The head of the audit log and of the sign-in log, with the export of what is shown. */
export const AuditHead = ({ line, filter, copyConfig }: AuditHeadProps) => (
  <header className="flex items-center justify-between gap-3">
    <div>
      <h1>Audit</h1>
      {line}
    </div>
    <div className="flex gap-2">
      <Menu
        label="Export"
        className="btn"
        trigger={
          <>
            <Download size={16} aria-hidden="true" />
            Export
            <ChevronDown size={15} aria-hidden="true" />
          </>
        }
        items={(['csv', 'json'] as const).map((format) => ({
          label: `Export ${format.toUpperCase()}`,
          onSelect: () => void download(formatExportUrl({ ...filter, format })),
        }))}
      />
      <PageMenu copyConfig={copyConfig} />
    </div>
  </header>
)
