// Effects of Paper Shaders, as shaders/real/paper.sh runs them:
//
//     node paper.cjs list                  the names of the effects
//     node paper.cjs NAME,NAME... SECONDS  a line each: name, processor time of one frame in microseconds, hash of the image
//
// Each effect has its default preset, from the React package: its component is called as a function, and gives fragment shader and uniforms.
// Nothing of React itself is needed for that. OTHER_INPUT: the second preset, at another time.
const { canvas, main, other } = require('./browser.cjs');
const module_of = text => `data:text/javascript,${encodeURIComponent(text)}`;
const react = module_of('export const memo = f => f, forwardRef = f => f, useEffect = null, useRef = null, useState = null, useLayoutEffect = null, useMemo = null, useCallback = null; export default { memo }');

const effect = name => async ({ components, ShaderMount }) => {
  const presets = components[`${name[0].toLowerCase()}${name.slice(1)}Presets`], { props } = components[name](presets[other ? 1 : 0].params);
  for (const value of Object.values(props.uniforms)) if (value instanceof HTMLImageElement) await value.decode();
  const time = other ? 5000 : 2000;
  const mount = new ShaderMount(canvas.parentElement, props.fragmentShader, props.uniforms, undefined, 0, time, 1, undefined, props.mipmaps);
  return () => mount.setFrame(time);
};
const names = ['MeshGradient', 'Voronoi', 'Metaballs', 'GodRays', 'SmokeRing', 'Warp', 'Swirl', 'NeuroNoise', 'PerlinNoise', 'SimplexNoise', 'DotOrbit', 'GrainGradient', 'PulsingBorder', 'ColorPanels', 'Dithering'];
main(Object.fromEntries(names.map(name => [name.replace(/\B[A-Z]/g, letter => `_${letter}`).toLowerCase(), effect(name)])), async () =>
  ({ components: await import('@paper-design/shaders-react'), ShaderMount: (await import('@paper-design/shaders')).ShaderMount }), {
  '@paper-design/shaders': '/@paper-design/shaders/dist/index.js', '@paper-design/shaders-react': '/@paper-design/shaders-react/dist/index.js',
  react, 'react/jsx-runtime': module_of('export const jsx = (type, props) => ({ type, props }), jsxs = jsx'),
});
