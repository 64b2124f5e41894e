import type { Plugin } from 'vite'
import type { IconShape } from './src/ui/create-icon.ts'
/**
 * Reduces the icons of lucide-react to their shapes, drawn by `createIcon`. The library's own component supports
 * settings that we do not use, and random keys of shapes do not compress.
 */
export declare const bareIcons: Plugin
/** Reads the shapes of an icon from its file. */
export declare function readShapes(file: string): Promise<IconShape[]>
