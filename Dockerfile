# A Debian to work on redlock in, with all that bin/test wants:
#
#   docker build --build-arg UID="$(id -u)" -t redlock-dev .
#   docker run --rm -it -v "$PWD:/src" -v redlock-ccache:/ccache redlock-dev
FROM debian:bookworm
ARG UID=1000
COPY bin /redlock/bin
RUN /redlock/bin/setup test \
 && apt-get install -y --no-install-recommends ca-certificates ccache gdb \
 && rm -rf /redlock /var/lib/apt/lists/* \
 && useradd --create-home --shell /bin/bash --uid "$UID" dev \
 && install -d -o dev /ccache /src
ENV CCACHE_DIR=/ccache LC_ALL=C.UTF-8
USER dev
WORKDIR /src
CMD ["bash"]
