/** The API reference at /docs. */
import { render } from 'preact';
import { applyTheme, readTheme } from '../preferences.ts';
import { Reference } from './reference.tsx';
import '../style/tokens.css';
import '../style/base.css';
import '../style/components.css';
import '../style/reference.css';

applyTheme(readTheme());
const host = document.getElementById('reference');
if (host) render(<Reference />, host);
